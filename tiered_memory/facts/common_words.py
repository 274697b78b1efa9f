"""English words that say something, so that they are neither a name nor a place.

Collected by kind for service talk; no given name is in them. Family names that are words
too (``king``, ``brown``) are in ``FAMILY_WORDS`` as well: they may end a name, not begin one.
"""

from __future__ import annotations

__all__ = ["CITIES", "FAMILY_WORDS", "is_common"]

_TALK = """
a an the this that these those it its itself he him his she her hers they them their theirs we us our ours you
your yours me my mine myself i u ur r one ones someone somebody anyone anybody everyone everybody noone nobody who
whom whose which what where when why how whatever whenever wherever whoever be am is are was were been being isnt
arent wasnt werent im ive ill id hes shes theyre weve were youre youve dont doesnt didnt cant couldnt wont wouldnt
shouldnt havent hasnt hadnt aint have has had having do does did done doing can could will would shall should may
might must ought and or but nor so yet if then else than because since though although while until unless as at by
for from in into of off on onto out over to toward towards under up upon with within without about above across
after against along among around before behind below beneath beside besides between beyond despite down during
except inside near outside per past regarding through throughout via not no none neither either both each every all
any some many much more most few fewer less least several enough other others another such same own too very quite
rather really just only even also still already again ever never always often sometimes usually soon later now today
tonight tomorrow yesterday here there everywhere nowhere away back forward ahead maybe perhaps probably possibly
actually basically certainly definitely absolutely exactly especially simply finally currently recently immediately
kindly anyway instead otherwise however therefore whether like unlike etc ie eg vs versus till upto cause coz cuz
thru wanna gonna gotta lets hmm hm mm mmm uh um oh ah aha ooh wow oops opps ouch haha lol yay hurray gee
ugh huh aww eww yikes geez gosh omg idk fyi lmao hehe ttyl rofl meh tbh imo btw asap brb gtg nvm wtf darn phew whew
precisely hopefully apparently terrific splendid awful affirmative alrighty
first second third fourth fifth sixth seventh eighth ninth tenth two three four five six seven eight nine ten eleven
twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ninety hundred thousand million half double triple single once twice zero th nd rd nos
""".split()  # noqa: SIM905 (a table of words)

_ANSWERS = """
hi hai hello helo hallo hey hiya hay howdy greetings welcome morning afternoon evening night noon midnight good goods
goodbye goodmorning goodnight bye bey byw cheers regards respectfully sincerely dear thanks thank thanking thanked
thankyou thx thnx thnks thnk thans thanx thanku tq ty tysm tnx thankful grateful appreciate appreciated please pls
plz kindly yes yeah yea yep yup ya yah yaa ye yess nope nah no ok okay okey oki okie oka ko k kk sure surely
alright right correct wrong fine great nice cool super awesome excellent perfect prefect wonderful amazing fantastic
brilliant lovely superb cute pleasure glad happy sad sorry apologies apologize apology pardon excuse mistake mistaken
confused confusion oops worry worries problem problems issue issues trouble help helpful helping helped assist
assistance support question questions query queries quiries doubt wait waiting waited hold holding moment minute
minutes min mins second seconds sec hour hours hrs day days week weeks month months year years time times date dates
go going gone went goes goahead proceed continue carry start started begin began end ended finish finished stop
stopped complete completed done nothing noting something anything everything thing things stuff else anyways agree
agreed accept accepted decline declined deny denied confirm confirmed confirming conform understand understood got
get getting gets give given giving gave take taken taking took make making made makes let keep kept say said says
saying tell telling told talk talking speak speaking spoke ask asking asked answer answering answered reply replied
respond response know known knowing knew think thinking thought guess hope hoping wish wishing believe feel feeling
felt need needs needed needing want wants wanted wanting wanna prefer preferred like liked likes love loved hate try
trying tried tries see seeing seen saw look looking looked looks watch watching hear hearing heard listen find
finding found show showing showed shown check checking checked send sending sent receive receiving received forward
forwarded read reading write writing wrote written type typing typed spell spelled spelling note notes come coming
came comes leave leaving left arrive arriving arrived return returning returned stay staying stayed move moving
moved bring bringing brought put putting set setting use using used work working worked works happen happening
happened happens become turn turned run running call calling called calls ring rang text texting texted contact
contacting contacted reach reaching reached meet meeting met visit visiting join joined follow following sir madam
maam mam mr mrs ms miss mister dude bro buddy friend guys team agent agents rep representative advisor operator
human person people man woman men women guy boy girl kid kids child children baby family wife husband mother father
mom mum dad parents son daughter brother sister uncle aunt cousin colleague boss manager owner customer customers
client clients guest guests user users member members passenger passengers traveler adult adults buyer seller driver
student teacher doctor nurse engineer lawyer staff employee male female gender age old new young urgent urgently asap
fast faster quick quickly slow slowly early late late delayed delay busy free available unavailable possible
impossible easy hard difficult simple ready able unable interested bored tired angry upset frustrated disappointed
unhappy satisfied sure certain aware afraid worried excited honest serious true false real fake safe lucky
""".split()  # noqa: SIM905 (a table of words)

_SERVICE = """
name names named first last middle full maiden surname firstname lastname initial title mail mails email emails gmail
phone phones mobile cell cellphone telephone tel number numbers num no nos code codes pin otp password passcode
passwords pwd username login logon log logout account accounts acc acct ac card cards credit debit visa mastercard
amex bank banks banking net netbanking online offline cash cod cheque check checks loan gold loans mortgage interest
rate rates balance statement transaction transactions transfer transferring transferred pay paying paid payment
payments bill bills billed billing charge charged charges charging fee fees cost costs price prices pricing cheap
expensive amount amounts total sum money fund funds dollar dollars rupee rupees euro euros pound pounds cent cents
tax taxes refund refunds refunded refunding reimburse reimbursed reimbursement expense expenses allowance deposit
withdraw withdrawal wire routing swift iban ssn social security identity document documents passport visa license
licence policy policies claim claims claimed insurance insured premium coverage deductible proof copy certificate
accident damage damaged broke broken crack cracked crash crashed crashing stolen steal lost lose losing missing miss
theft fraud error errors fail failed fails failing failure bug bugs update updates updated updating upgrade upgraded
change changes changed changing modify modified edit edited correct corrected correction fix fixed fixing repair
repaired replace replaced replacing replacement cancel cancels canceled cancelled cancelling cancellation close
closed closing open opened opening add added adding addition extra remove removed delete deleted block blocked
unblock lock locked unlock unlocked reset restart restarted reboot install installed installing reinstall reinstalled
uninstall download downloaded upload app apps application applications software softwares program windows screen
screens keyboard keyboards mouse monitor laptop computer computers device devices tablet desktop printer server
system systems version versions internet wifi network router modem cable connection connections connect
connected connecting disconnect disconnected signal speed data plan plans package packages bundle gb mb tb kb gig
service services subscription subscribe subscribed unsubscribe provider channel channels tv stream streaming browser
site website web page link links click button option options menu tab chat chats message messages sms call voice
video photo photos picture image file files folder attach attached attachment screenshot snap shot report reported
reporting reports record recorded records details detail info information status history list lists item items
product products brand model models make maker manufacturer serial series size sizes small medium large big tiny
huge color colour colors quantity qty piece pieces pc pcs unit units pair set box boxes pack bag bags luggage baggage
order orders ordered ordering purchase purchased purchasing buy buying bought sell selling sold shop shops shopping
store stores cart checkout deliver delivers delivered delivering delivery dispatch ship ships shipped shipping
shipment parcel courier track tracking tracked warehouse stock return exchange warranty guarantee gift coupon coupons
voucher promo promotion discount discounts offer offers deal deals sale points rewards reward bonus membership
booking bookings book booked reserve reserved reservation reservations confirmation reference ref ticket tickets
flight flights airline airlines airport plane travel traveling travelling trip trips journey boarding pass seat seats
assignment assigned window aisle class business economy economic cabin gate terminal departure depart departing
arrival layover stopover oneway roundtrip way hotel hotels room rooms stay night checkin checkout meal meals train
trains bus buses taxi cab car cars vehicle vehicles truck bike van rental rent renting restaurant restaurants table
tables museum cinema theatre theater hospital police attraction appointment schedule scheduled reschedule slot plan
company companies office job profile settings setting setup request requests requested requesting require required
requires requirement submit submitted submitting process processed processing procedure apply applied approve
approved approval verify verified verifying verification valid invalid expire expired expiry expiration active
activate activated activation inactive enable enabled disable disabled default custom customize select selected
selection choose choosing chose chosen choice pick picked wrongly previous next current currently latest existing
recent recurring monthly yearly annual annually weekly daily feedback review rating complaint complaints complain
escalate supervisor resolve resolved resolution solve solved solution suggest suggestion suggested recommend advice
advise share sharing shared provide provides provided providing allot allotted digits digit address adress addresses
street city state country zip zipcode postal postcode pincode area region location place home house housing building
door live living located birth dob birthday anniversary language english spanish chinese french german status idea
reason reasons case cases matter means mean meaning example kind kinds sort different similar particular specific
general special regular normal standard basic main important necessary main whole part parts rest side sides top
bottom front left middle center centre high low higher lower best better worst worse bad good item quality level
conversation question session value values field fields form forms sign signed signature regular piano guitar violin
drum drums music musical instrument instruments oboe flute equipment tools tool machine battery charger adapter
sent sender receiver recipient holder cardholder
""".split()  # noqa: SIM905 (a table of words)

_GOODS = """
invoice platinum overdraft dispute chargeback yahoo tire tires tyre receipt warranty voucher coupon
food foods drink drinks beverage breakfast lunch dinner snack snacks dessert desserts pizza pizzas pasta burger
burgers hamburger cheeseburger sandwich sandwiches wrap wraps salad salads soup fries chips chicken chkn beef
pork ham bacon sausage sausages pepperoni salami salame meatball meatballs meat meats steak turkey fish tuna salmon
shrimp prawn prawns seafood lamb mutton egg eggs cheese mozzarella parmesan parmesean cheddar feta ricotta gorgonzola
provolone cream butter milk yogurt vegan veg veggie veggies vegetable vegetables vegetarian nonveg tomato tomatoes
potato potatoes onion onions garlic mushroom mushrooms olive olives spinach lettuce arugula corn carrot cucumber
jalapeno jalapenos pineapple apple apples banana orange lemon lemonade lime mango strawberry cherry fruit fruits
berry berries sauce sauces bbq barbecue barbeque mayo mayonnaise ketchup mustard pesto oil vinegar spicy mild hot
cold warm sweet sour salt salty pepper sugar spice spices crust thin thick crumbled chopped sauteed grilled grill
fried baked roasted crispy fresh frozen organic gluten dairy nut nuts topping toppings bread bun rice noodles cake
cakes pie pies cookie cookies brownie brownies muffin burrito taco tacos icecream ice cone shake milkshake smoothie
coffee tea latte espresso mocha soda coke cola pepsi sprite fanta juice water beer wine whiskey cocktail bottle can
cup cups glass jug tin combo combos slice slices nugget nuggets wings caesar classic signature eater eaters
lover lovers stripe art world famous seasonal big mac mcdouble mcmuffin liter litre
audi bmw mercedes benz toyota honda ford hyundai kia nissan chevrolet chevy suzuki maruti mazda volkswagen volvo
subaru lexus jeep tesla porsche ferrari lamborghini jaguar tata mahindra renault fiat skoda mitsubishi dodge chrysler
cadillac buick accord civic corolla camry fiesta focus ikon forester elantra altima versa malibu sedan suv hatchback
coupe convertible fx tt hyundi
apple samsung nokia huawei xiaomi oppo vivo oneplus iphone ipad android google microsoft facebook whatsapp instagram
twitter youtube netflix amazon ebay paypal uber skype outlook excel word powerpoint salesforce slack zoom teams
chrome firefox windows linux oracle adobe photoshop hike yamaha casio sony lg dell lenovo hp asus acer intel
red blue green yellow black white pink purple brown gray grey silver golden dark light bright
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december spring summer autumn fall winter weekend weekday weekdays
india china america american usa uk us england canada australia germany france spain italy japan thailand
""".split()  # noqa: SIM905 (a table of words)

_PLAIN = """
unfortunately fortunately likewise preferably incorrect acceptable workable anytime nevermind eureka darn damn naw yippee
won lost spent bonjour merci oui hola gracias bedroom bedrooms bathroom bucks noodle noodles bon voyage congrats congratulations
british european indian italian japanese korean thai vietnamese asian african portuguese russian turkish irish scottish
able above act action add admin advance advantage advice affect aim air allow amaze amazed analysis annoy annoyed
annoying appear appears area arm army arrange arrangement art attempt attention author average avoid background
base bath beach bear beat beautiful beauty become bed beginning behavior benefit bet bit blood board boat body born
boss bother bridge brief broad budget build builder building built burn burning burst campaign capital care careful
carefully carpet cat caught cause central chain chair challenge chance character cheat choice church clean clear
cleared clearly clock clothes club coat collect college comb combine comfort comfortable comment commercial common
community compare compared competition complex compliant concern concerned condition conditions consider consist
constantly contain content continue contract control convenience cooperation corner cost council counter couple
course court cover covered crazy create created creating cross crowd culture curious cut cycle danger dangerous data
daily dark database deal dear death debt decide decided decision deep degree depend depends design desire desk
destination determine develop died diet difference dinner direct direction directly director dirty discuss display
distance divide doc dog domestic dough dozen draw dream dress drive drop dropped dry due duty each ear ease east
easier economy edge education effect effort eight elect electric else emergency employ empty encourage engine enjoy
enter entering entire environment equal especially event eventually evidence exact exam exchange exist exit expect
expected experience explain express eye face facing fact factor faced facility family fare farm fashion favor favour
favorite favourite fear figure fill filled final financial finding finger finish fit fits floor flow flower fly focus
force foreign forget forgot forgotten format former found four friendly fulfill full fun function funny furniture
future game garden gas genuine global glob goal goat god government grade great green ground group grow growth guide
gun habit hair half hand handle hang hanging hardware hat head health healthy heart heat heavy height hide history
hit hobby hole holiday hotel however hungry hurry hurt identity ill impact important impressed improve improvement
include included includes including inconvenience increase indeed indicate industry inform inquire inquiry inside
instant instead insurance intend international introduce invest island italian hawaiian mexican joke joint judge jump
justice keen key kick kill killer kitchen knee knife lab label lack lady lake land large largest law lay lazy lead
leader learn least leg legal lesson letter level lie lift lights limit line lines lip little load loading local loss
lot lots loud luck lunch machine mad magazine majority manage management map market match material matter maximum
maybe meal measure meat media medical memory mention mentioned method mild mind minimum mix mixed mode modern mood
moon mouth movie mud multiple nation national natural nature near nearest necessary neck needful negative net neutral
news newspaper nose notice noticed notification novel nurse object obtain obvious occur occurred ocean offer officer
official old opinion opportunity opposite option organization original ought outdated outside oven owe owner pain
paint pair paper papers parent park party path patient patiently peace pen people percent perform period periodic
permission permit phase pick picture place plain plane plant plastic plate play player please pleasant pocket point
poor popular position positive post power powerful practice prepare present press pressure pretty prevent primary
private prize pro produce production professional profit progress project promise proper properly property protect
public pull purpose push quality quarter quick quiet quit race radio rain raise random range rare reaction real reality
realize reason recall receipt receipts recognize red reduce register registered relate related relation release
relief remain remaining remember remind reminder remote repeat repeating responsible result results ridiculous right
ring rise risk river road rock role roof rough round route rule rules rush safety sample sat save saving savings
scale scene school science sea search searching season secret section secure seek seem seems self sense separate
serious serve served serving settle several severe sex shape sharp sheet shift shirt shock shoe shoes short shortly
shot shoulder shout sick sight silent similar since sing sink site situation skill skin sky sleep slice smart smell
smile smoke smoked smooth social soft soil solid song soon sound sounds source south space spare special specification
specifications spend spent spirit split sport spot spread square stage stand star statement station step stick stone
strange stranger street strength strike stripe strong student study stuff stupid style subject success successful
such sudden suddenly suffer suit summary supply supposed surface surprise survey sweet symbol sympathy tank tasty
teach team tear technical technology temperature term terms terrible test testing thief thought threat throw tie tight
tip title tone tool tooth top topic totally touch tough tour tower town toy trade traffic training treat tree true
trust truth turn unit unused upcoming upon usage usual usually valuable value variety various vanilla chocolate
caramel maple ranch buttermilk biscuit vine agua view village voice vote wage walk wall wallet war warm warn warning
waste wash water wave weak weather wear website weight welcome west wet whole wide wild win wind winner wire wonder
wondering wood world worse worth yard yesterday yet youth
""".split()  # noqa: SIM905 (a table of words)

CITIES = frozenset(
    """
    newyork london delhi mumbai chennai kolkata kolkatta bangalore hyderabad paris tokyo beijing
    shanghai singapore dubai washington miami boston chicago seattle houston dallas denver atlanta
    texas california florida ohio alaska vegas francisco los angeles diego berkeley portland
    toronto sacramento oakland orlando philadelphia phoenix nashville vancouver montreal
    amsterdam barcelona madrid rome munich frankfurt moscow istanbul bangkok manila jakarta seoul
    """.split()  # noqa: SIM905 (a table of words)
)
"""Places that customers name; no given name is the same."""

FAMILY_WORDS = frozenset(
    """
    king brown white black green gray grey young long rice hill woods wood stone page cook baker field fields bush lane
    price rivers parks park brooks banks case cash hunt best little short sharp day may bell wells moon love hope
    church house hall ball bird fox wolf lamb fish pope bishop knight marsh rose flowers berry cherry english french
    holland england washington houston dallas miles street read key booker golden gold silver rich power powers bond
    chance mann good goodman wise frost snow summer winter spring world major miller mason porter driver singer gates
    walker turner parker carter cooper fisher hunter shepherd potter smith taylor drew doe ford
    benz austin paris boston dean earl marshall judge law lord land strong swift west east north south may june august
    hayes mac april harding fielding browning golding book bill will mark grant art guy roman norman frank pat sue dale glen cliff dawn joy faith grace hope
    """.split()  # noqa: SIM905 (a table of words)
)

_STEMS = frozenset((*_TALK, *_ANSWERS, *_SERVICE, *_GOODS, *_PLAIN, *CITIES))
_GLUED = frozenset(
    """
    yes yeah yep ok okay sure no nope nothing enough thanks thank you fine sir madam hi hai hello hey good great morning
    please go ahead bye all that thats it its else have a nice day one i need confirm correct perfect so much very
    """.split()  # noqa: SIM905 (a table of words)
)
_ABSTRACT = ("tion", "sion", "ness", "less", "able", "ible", "ment", "ships")
"""Endings of words that hardly any name has."""

_LONGEST_GLUED = 7
_MOST_GLUED = 4
_PREFIXES = ("mis", "un", "re", "non", "dis", "over", "under", "out")
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "est")


def is_common(word: str) -> bool:
    """Tell a word of ordinary talk, in lower case; its endings and stretched letters too.

    ``hii`` is ``hi``, ``byee`` is ``bye``, ``okthanks`` is two words of an answer. Constant
    work for a word.
    """
    if "-" in word:
        return all(is_common(part) for part in word.split("-") if part)
    word = word.replace("'", "").replace("’", "")
    if word in _STEMS or (word.endswith(_ABSTRACT) and word != "clement"):
        return True
    short = _squeezed(word)
    if short != word and (short in _STEMS or _joined(short)):
        return True
    plain = next((word.removeprefix(p) for p in _PREFIXES if word.startswith(p)), "")
    if len(plain) > 3 and (plain in _STEMS or _inflected(plain)):
        return True
    return _inflected(word) or _joined(word)


def _squeezed(word: str) -> str:
    """Write letters that a word's end repeats once; three in a row anywhere."""
    out: list[str] = []
    for place, char in enumerate(word):
        if out and out[-1] == char and (word[place:] == char * (len(word) - place)):
            continue
        if len(out) > 1 and out[-1] == out[-2] == char:
            continue
        out.append(char)
    return "".join(out)


def _inflected(word: str) -> bool:
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if len(stem) < 3 or stem == word:
            continue
        if ending in {"s", "es", "ly", "d"}:
            if len(stem) > 3 and stem in _STEMS:
                return True
            continue
        if stem in _STEMS or f"{stem}e" in _STEMS:
            return True
        if stem[-1] == stem[-2] and stem[:-1] in _STEMS:
            return True
    return False


def _joined(word: str) -> bool:
    """Tell two or three words of an answer written as one (``yesok``, ``nothankyou``)."""
    if not 4 <= len(word) <= 24:
        return False
    parts = {0: 0}
    for start in range(len(word) - 1):
        if start not in parts:
            continue
        for stop in range(start + 1, min(len(word), start + _LONGEST_GLUED) + 1):
            if word[start:stop] in _GLUED:
                parts[stop] = min(parts.get(stop, _MOST_GLUED + 1), parts[start] + 1)
    return 2 <= parts.get(len(word), 0) <= _MOST_GLUED
