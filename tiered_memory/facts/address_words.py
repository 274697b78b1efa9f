"""Words of postal addresses in Latin letters, and words that end one or lead to it."""

from __future__ import annotations

__all__ = [
    "ABBREVIATIONS",
    "AFTER_ANY_NAME",
    "AFTER_A_NUMBER",
    "FILLERS",
    "FOLLOW",
    "LEADS",
    "LINKS",
    "PLACES",
    "REGIONS",
    "STATES",
    "STREETS",
    "WITHIN",
]

STREETS = frozenset(
    """
    street st avenue ave av road rd drive dr lane ln boulevard blvd court ct place pl way
    highway hwy square sq terrace ter parkway pkwy circle cir turnpike tpke pike crescent close
    mews row quay walk alley trail trl bypass expressway freeway route rte cross crossing
    commons plaza esplanade promenade grove gardens heights loop broadway nagar marg salai
    chowk colony sector rue calle via viale strasse straße str avenida rua weg allee laan
    straat yard
    """.split()  # noqa: SIM905 (a table of words)
)
PLACES = frozenset(
    """
    apartment apt flat suite ste building bldg tower complex mall school temple church
    station village city district park garden hills hill beach lake river bridge estate
    plains shore mountain valley island port harbor harbour mill market meadow forest wood
    apartments apts residency residences towers enclave layout villa villas bungalow condo
    woods creek room college university alley arcade branch brook corner corners cove crest
    curve dale estates ferry flats forge fork forks glen green harbor haven hollow inlet
    isle knoll lakes lodge manor meadows mills neck orchard oval overlook pines prairie
    rapids ridge shores summit throughway tunnel underpass viaduct ville vista
    """.split()  # noqa: SIM905 (a table of words)
)
WITHIN = frozenset(
    """
    north south east west northeast northwest southeast southwest n s e w ne nw se sw new
    old upper lower great little main high first second third fourth fifth sixth seventh
    eighth ninth tenth th nd rd one two three four five saint mount fort royal king queen
    church mill green white black red blue rose oak maple pine cedar elm apple cherry golden
    silver sunny gold stone state national union central county country captain professor
    doctor no number nr ground top mobile reading orange phoenix corner garden garments lake
    land rock round fall falls mt ft p.o po p o of pearl cross ship general memorial service
    gateway course well wells pass key rest run light lock door office shop view bay point
    bend path track trace common divide dam extension stream spur landing spring springs
    bluff junction mission ranch block lot plot floor box unit near opposite behind beside
    gate house hall field fields center centre town shopping railway bus police metro
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words of talk that streets and towns are called by."""

# Besides: suffixes of Publication 28 of the United States Postal Service, appendix C.

STATES = frozenset(
    """
    al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj
    nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc
    """.split()  # noqa: SIM905 (a table of words)
)
"""Two-letter codes of the United States Postal Service, Publication 28, appendix B."""

REGIONS = frozenset(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia
    hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts
    michigan minnesota mississippi missouri montana nebraska nevada hampshire jersey mexico
    york carolina dakota ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
    washington wisconsin wyoming usa us uk u.s u.s.a america england scotland wales ireland
    india canada australia germany france spain italy austria netherlands belgium switzerland
    sweden norway denmark finland poland portugal turkey brazil china japan singapore malaysia
    zealand
    """.split()  # noqa: SIM905 (a table of words)
)
LEADS = frozenset(
    [
        "no",
        "number",
        "house",
        "flat",
        "unit",
        "apt",
        "apartment",
        "suite",
        "door",
        "plot",
        "block",
        "shop",
        "p.o",
        "po",
        "box",
    ]
)
AFTER_ANY_NAME = frozenset(
    """
    street st avenue ave road rd lane ln boulevard blvd highway hwy terrace parkway pkwy
    crescent turnpike tpke circle mall complex temple colony nagar
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words that make a street of any words before them."""

ABBREVIATIONS = frozenset(
    """
    st ave av rd dr ln blvd ct pl hwy sq ter pkwy cir tpke rte apt ste bldg no nr ul str
    """.split()  # noqa: SIM905 (a table of words)
)

AFTER_A_NUMBER = frozenset(
    """
    drive dr way court ct place pl square sq
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words that do where a house number of three digits stands before those."""

LINKS = frozenset(
    """
    the on at to for with from by before after about than or but if when where who what my
    your his her their a an i you we they it is was are be days day hours hour minutes weeks
    week months month years year times miles km people items orders order gb mb per percent
    """.split()  # noqa: SIM905 (a table of words)
)
FOLLOW = frozenset(
    """
    phone ph mobile contact cell tel telephone email mail e-mail name ssn account card my and
    please thanks thank zip pin this no number plz pls sir madam
    """.split()  # noqa: SIM905 (a table of words)
)
FILLERS = frozenset(
    """
    yes yeah yep sure ok okay hi hello it's its it is was this that's that the my our new correct
    full complete delivery shipping billing mailing home postal street current right address
    adress addres will be should supposed to at i i'm im live in ship send deliver change please
    so sorry oh well here use as say for update change changed want would like you can sir
    thank thanks
    """.split()  # noqa: SIM905 (a table of words)
)
