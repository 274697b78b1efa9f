"""Made-up secrets in the formats that their issuers document; none was ever issued."""

from __future__ import annotations

import base64
import random
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase
ALNUM = string.ascii_letters + string.digits
UPPER_NUM = UPPER + string.digits
LOWER_NUM = string.ascii_lowercase + string.digits
BASE32 = UPPER + "234567"
URL64 = ALNUM + "-_"
BASE64 = ALNUM + "+/"

_KINDS: Mapping[str, Mapping[str, int]] = {
    "aws access key id": {"AKIA{BASE32}": 16},
    "aws temporary key id": {"ASIA{BASE32}": 16},
    "github personal": {"ghp_{ALNUM}": 36},
    "github oauth": {"gho_{ALNUM}": 36},
    "github user-to-server": {"ghu_{ALNUM}": 36},
    "github server-to-server": {"ghs_{ALNUM}": 36},
    "github refresh": {"ghr_{ALNUM}": 36},
    "gitlab personal": {"glpat-{URL64}": 20},
    "gitlab deploy": {"gldt-{URL64}": 20},
    "gitlab runner": {"glrt-{URL64}": 20},
    "google api key": {"AIza{URL64}": 35},
    "google oauth secret": {"GOCSPX-{URL64}": 28},
    "google access token": {"ya29.a0{URL64}": 120},
    "stripe live secret": {"sk_live_{ALNUM}": 24},
    "stripe test secret": {"sk_test_{ALNUM}": 99},
    "stripe restricted": {"rk_live_{ALNUM}": 24},
    "stripe webhook": {"whsec_{ALNUM}": 32},
    "openai project": {"sk-proj-{URL64}": 120},
    "openai service": {"sk-svcacct-{URL64}": 120},
    "openai user": {"sk-{ALNUM}": 48},
    "anthropic": {"sk-ant-api03-{URL64}": 95},
    "groq": {"gsk_{ALNUM}": 52},
    "xai": {"xai-{ALNUM}": 80},
    "perplexity": {"pplx-{ALNUM}": 48},
    "replicate": {"r8_{ALNUM}": 37},
    "hugging face": {"hf_{ALNUM}": 34},
    "npm": {"npm_{ALNUM}": 36},
    "docker hub": {"dckr_pat_{URL64}": 27},
    "digitalocean": {"dop_v1_{HEX}": 64},
    "shopify admin": {"shpat_{HEX}": 32},
    "shopify secret": {"shpss_{HEX}": 32},
    "square access": {"EAAA{URL64}": 60},
    "square secret": {"sq0csp-{URL64}": 43},
    "twilio key": {"SK{HEX}": 32},
    "mailgun": {"key-{HEX}": 32},
    "mailchimp": {"{HEX}-us12": 32},
    "databricks": {"dapi{HEX}": 32},
    "linear": {"lin_api_{ALNUM}": 40},
    "notion": {"ntn_{ALNUM}": 46},
    "new relic": {"NRAK-{UPPER_NUM}": 27},
    "grafana service": {"glsa_{ALNUM}": 32},
    "vault service": {"hvs.{URL64}": 90},
    "doppler": {"dp.pt.{ALNUM}": 43},
    "supabase": {"sbp_{HEX}": 40},
    "airtable": {"patT9xV2kQw81LmZr.{HEX}": 64},
    "figma": {"figd_{URL64}": 40},
    "sentry": {"sntryu_{HEX}": 64},
    "telegram bot": {"6012345678:AA{URL64}": 33},
    "alibaba cloud id": {"LTAI5t{ALNUM}": 18},
    "tencent cloud id": {"AKID{ALNUM}": 32},
    "baidu cloud id": {"ALTAK{ALNUM}": 21},
    "volcengine id": {"AKLT{ALNUM}": 43},
    "atlassian": {"ATATT3xFfGF0{URL64}": 180},
    "pypi": {"pypi-AgEIcHlwaS5vcmc{URL64}": 150},
    "heroku": {"HRKU-{URL64}": 60},
    "discord webhook": {"https://discord.com/api/webhooks/112233445566778899/{URL64}": 68},
    "razorpay": {"rzp_live_{ALNUM}": 14},
    "openrouter": {"sk-or-v1-{HEX}": 64},
    "nvidia": {"nvapi-{URL64}": 64},
    "fireworks": {"fw_{ALNUM}": 24},
    "netlify": {"nfp_{ALNUM}": 40},
    "planetscale": {"pscale_tkn_{URL64}": 43},
    "neon": {"napi_{LOWER_NUM}": 64},
    "sonarqube": {"squ_{HEX}": 40},
    "buildkite": {"bkua_{HEX}": 40},
    "pulumi": {"pul-{HEX}": 40},
    "contentful": {"CFPAT-{URL64}": 43},
    "typeform": {"tfp_{URL64}": 44},
    "easypost": {"EZAK{ALNUM}": 54},
    "shippo": {"shippo_live_{HEX}": 40},
    "duffel": {"duffel_live_{URL64}": 43},
    "jfrog": {"AKCp8{ALNUM}": 68},
    "entra client secret": {"a1B8Q~{URL64}": 34},
    "flutterwave": {"FLWSECK_TEST-{HEX}": 32},
    "meta access token": {"EAAG{ALNUM}": 160},
    "dropbox": {"sl.B{URL64}": 130},
    "twitch": {"oauth:{LOWER_NUM}": 30},
    "dingtalk robot": {"https://oapi.dingtalk.com/robot/send?access_token={HEX}": 64},
}
"""Name, then a template and how many characters of its alphabet stand in it."""

_ALPHABETS: Mapping[str, str] = {
    "HEX": HEX,
    "ALNUM": ALNUM,
    "URL64": URL64,
    "UPPER_NUM": UPPER_NUM,
    "BASE32": BASE32,
    "LOWER_NUM": LOWER_NUM,
}

CARRIERS = (
    "{}",
    "my key is {} and it stopped working",
    "我的密钥是{}，请帮我看一下",
    "the log says: request failed (key={})",
    "调用接口时用的{}不行",
    'config = {{"credential": "{}"}}',
)


def samples(each: int = 6) -> Iterator[tuple[str, str, str]]:
    """Give name, text and secret of ``each`` secrets of every kind; always the same."""
    chance = random.Random(20_260_101)
    for name, templates in _KINDS.items():
        for template, count in templates.items():
            for number in range(each):
                secret = _filled(template, count, chance)
                yield name, CARRIERS[number % len(CARRIERS)].format(secret), secret
    for number in range(each):
        for name, secret in _joined(chance).items():
            yield name, CARRIERS[number % len(CARRIERS)].format(secret), secret
        yield from _by_name(chance)


def _filled(template: str, count: int, chance: random.Random) -> str:
    start, _, rest = template.partition("{")
    alphabet, _, end = rest.partition("}")
    return start + _some(_ALPHABETS[alphabet], count, chance) + end


def _some(alphabet: str, count: int, chance: random.Random) -> str:
    """Give random characters, with a letter at the end: a dash there is never issued."""
    body = "".join(chance.choice(alphabet) for _ in range(count - 2))
    return (
        body
        + chance.choice("56789")
        + chance.choice("abcdef" if "a" in alphabet else UPPER)
    )


def _joined(chance: random.Random) -> dict[str, str]:
    """Give secrets of several parts."""

    def some(alphabet: str, count: int) -> str:
        return _some(alphabet, count, chance)

    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def uuid() -> str:
        return "-".join(some(HEX, size) for size in (8, 4, 4, 4, 12))

    head = part('{"alg":"HS256","typ":"JWT"}')
    claims = part(f'{{"sub":"{some(HEX, 12)}","exp":1893456000}}')
    owner = part(f'{{"u":"shop","a":"{some(LOWER_NUM, 25)}"}}')
    pem = "\n".join(some(BASE64, 64) for _ in range(4))
    return {
        "github fine-grained": f"github_pat_{some(ALNUM, 22)}_{some(ALNUM, 59)}",
        "slack bot": f"xoxb-2041337204-2041337204133-{some(ALNUM, 24)}",
        "slack user": f"xoxp-2041337204-2041337204-2041337204133-{some(HEX, 32)}",
        "slack app": f"xapp-1-A0{some(UPPER_NUM, 9)}-2041337204133-{some(HEX, 64)}",
        "slack webhook": "https://hooks.slack.com/services/"
        f"T{some(UPPER_NUM, 8)}/B{some(UPPER_NUM, 10)}/{some(ALNUM, 24)}",
        "sendgrid": f"SG.{some(URL64, 22)}.{some(URL64, 43)}",
        "postman": f"PMAK-{some(HEX, 24)}-{some(HEX, 34)}",
        "discord bot": f"MTA{some(ALNUM, 23)}.{some(URL64, 6)}.{some(URL64, 38)}",
        "terraform cloud": f"{some(ALNUM, 14)}.atlasv1.{some(URL64, 67)}",
        "json web token": f"{head}.{claims}.{some(URL64, 43)}",
        "private key": f"-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----",
        "openssh key": "-----BEGIN OPENSSH PRIVATE KEY-----\n"
        f"{pem}\n-----END OPENSSH PRIVATE KEY-----",
        "pgp key": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n"
        f"{pem}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----",
        "postgres": f"postgresql://shop:{some(ALNUM, 14)}@db.example.com:5432/shop",
        "mysql": f"mysql+aiomysql://root:{some(ALNUM, 10)}@10.1.2.3/shop",
        "mongodb": f"mongodb+srv://svc:{some(ALNUM, 16)}@c0.example.mongodb.net/app",
        "redis": f"rediss://default:{some(ALNUM, 20)}@cache.example.com:6380/0",
        "amqp": f"amqps://u1:{some(ALNUM, 12)}@mq.example.com/vh",
        "plaid": f"access-sandbox-{uuid()}",
        "braintree": f"access_token$production${some(LOWER_NUM, 16)}${some(HEX, 32)}",
        "mapbox": f"sk.{owner}.{some(URL64, 22)}",
        "langsmith": f"lsv2_pt_{some(HEX, 32)}_{some(HEX, 10)}",
        "pinecone": f"pcsk_{some(ALNUM, 6)}_{some(ALNUM, 63)}",
        "circleci": f"CCIPAT_{some(ALNUM, 22)}_{some(HEX, 40)}",
        "hubspot": f"pat-na1-{uuid()}",
        "brevo": f"xkeysib-{some(HEX, 64)}-{some(ALNUM, 16)}",
        "resend": f"re_{some(ALNUM, 8)}_{some(ALNUM, 24)}",
        "dynatrace": f"dt0c01.{some(UPPER_NUM, 24)}.{some(UPPER_NUM, 64)}",
        "zhipu": f"{some(HEX, 32)}.{some(ALNUM, 16)}",
        "feishu robot": f"https://open.feishu.cn/open-apis/bot/v2/hook/{uuid()}",
        "wecom robot": f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid()}",
        "password in link": f"https://deploy:{some(ALNUM, 18)}@git.example.com/a.git",
    }


def _by_name(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Give secrets without a shape, known by the name before them."""

    def some(alphabet: str, count: int) -> str:
        return _some(alphabet, count, chance)

    secret = some(BASE64, 40)
    yield "aws secret", f"AWS_SECRET_ACCESS_KEY={secret}", secret
    secret = some(ALNUM, 30)
    yield "alibaba secret", f"AccessKeySecret: {secret}", secret
    secret = some(ALNUM, 32)
    yield "tencent secret", f"SecretKey是{secret}", secret
    secret = some(BASE64, 86) + "=="
    yield "azure storage", f"AccountName=shop1;AccountKey={secret};EndpointSuffix=x", secret
    secret = some(BASE64, 43) + "="
    yield "azure bus", f"SharedAccessKeyName=Root;SharedAccessKey={secret}", secret
    secret = some(HEX, 32)
    yield "wechat app secret", f"appsecret={secret}", secret
    secret = some(HEX, 32)
    yield "datadog", f"DD_API_KEY={secret}", secret
    secret = some(URL64, 40)
    yield "bearer", f"curl -H 'Authorization: Bearer {secret}'", secret
    secret = base64.b64encode(f"svc:{some(ALNUM, 18)}".encode()).decode()
    yield "basic", f"Authorization: Basic {secret}", secret
    secret = some(LOWER_NUM, 16)
    yield "password word", f"my password is {secret}", secret
    secret = some(ALNUM, 12)
    yield "password zh", f"密码：{secret}", secret
    secret = "".join(chance.choice(string.digits) for _ in range(6))
    yield "code en", f"your verification code is {secret}", secret
    yield "code zh", f"验证码{secret}，5分钟内有效", secret
