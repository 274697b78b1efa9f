"""What an assistant says right before a row: it asks for the types that the row answers.

Frames and names are of the kind that service agents write; which of them a row gets
depends on its id alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extraction_parts.data import pick

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FRAMES = (
    "May I have {}, please?",
    "Could you please provide {}?",
    "Can you please confirm {} for me?",
    "Sure, I can help you with that. Could you share {}?",
    "Please provide {} so I can look into this for you.",
    "Thank you. To proceed further, I'll need {}.",
    "What is {}?",
    "To verify your account, could you please tell me {}?",
    "I'd be happy to help! Please let me know {} first.",
    "Got it. Kindly share {}.",
)

NAMES: Mapping[str, tuple[str, ...]] = {
    "phone": (
        "your phone number",
        "your contact number",
        "the best phone number to reach you",
        "your mobile number",
        "a phone number where we can reach you",
    ),
    "card_number": (
        "your card number",
        "your credit card number",
        "the 16-digit card number",
        "the number on your debit card",
    ),
    "national_id": (
        "your SSN",
        "your social security number",
        "the last four digits of your SSN",
        "the last 4 digits of your social security number",
    ),
    "booking_ref": (
        "your booking confirmation number",
        "your reservation number",
        "the confirmation number of your booking",
        "your booking reference",
    ),
    "account_id": (
        "your account number",
        "the account number",
        "your account ID",
        "the last 4 digits of your account number",
    ),
    "postcode": (
        "your zip code",
        "your ZIP code",
        "your postal code",
        "the zip code of your area",
    ),
    "address": (
        "your address",
        "your full address",
        "your delivery address",
        "the address we should ship it to",
        "your billing address",
    ),
    "person_name": (
        "your name",
        "your full name",
        "your first and last name",
        "the name on the account",
    ),
    "password": ("your password", "the account password", "your passcode"),
    "claim_id": ("your claim number", "the claim ID"),
    "policy_id": ("your policy number", "the policy ID"),
    "amount": ("the amount", "the amount of the charge", "how much it was"),
    "date": ("the date of the charge", "the date", "when it happened"),
    "city": ("your city", "the city you live in"),
    "org": ("your company name", "the name of your company"),
    "username": ("your username", "the username on the account"),
    "year": ("the year of your car", "the model year"),
    "item_code": ("the model number", "the item code"),
}


def question(row_id: str, types: Sequence[str]) -> str | None:
    """Give the question for ``types``; None where none of them can be asked for."""
    names = [
        NAMES[name][pick(row_id, f"name {name}", len(NAMES[name]))]
        for name in types
        if name in NAMES
    ]
    if not names:
        return None
    frame = FRAMES[pick(row_id, "frame", len(FRAMES))]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return frame.format(listed)
