"""Which Han characters are a person's name, and where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.normal_forms import NOT_NAMES
from tiered_memory.facts.re2_engine import compile_re2
from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["answers", "extent", "is_han", "person"]

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏"
    "苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫雷龙史陶黎贺毛段郝顾龚邵"
    "覃武钱戴严莫孔向常汤康易乔赖文施洪辛柯庄殷章鲁葛舒樊温齐倪耿骆俞殷翟聂焦华纪季柳符毕费欧岳"
    "庞霍安裴宁路关涂鲍詹左尚房苗靳祝单凌盛申阮窦褚娄项缪简饶牛鞠卫柏屈包应池邢巫管冉童游阎卓颜"
    "梅盖卞解强楚连计谷冷郎甘麦车全佟甄景束吉闵岑封虞瞿晏苟蔺湛宫宗党沙滕亓仇蓝隋桑敖佘牟"
    "萧傅蕭張劉陳楊黃趙吳孫馬鄭謝許韓鄧馮葉蘇盧鐘譚陸範龍賀顧錢嚴齊聶紀關閻顏車藍"
)
_SURNAMES_OF_TWO = frozenset(
    """
    欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 东方 皇甫 尉迟 公孙 令狐 慕容 司徒 长孙 宇文 轩辕
    夏侯 端木 百里 呼延 南宫 独孤 申屠 万俟 闻人 钟离 澹台 公冶 宗政 濮阳 淳于 单于 太叔
    """.split()  # noqa: SIM905 (a table of words)
)
"""Common Chinese family names: Ministry of Public Security, name report of 2020, and the
two-character ones of the Hundred Family Surnames."""

TITLES = (
    "先生", "女士", "小姐", "太太", "经理", "老师", "主任", "师傅", "主管", "总监", "店长",
    "医生", "律师", "客服", "同学", "同志", "阿姨", "叔叔", "大哥", "大姐", "总", "哥", "姐",
    "叔", "姨", "局", "董",
)  # fmt: skip
_WORDS = frozenset(
    """
    万一 万分 万科 万达 万元 万能 成功 成交 成立 成为 成员 成色 成套 成分 车型 车程 舒适 舒服 查到 肯定 于周 高兴 高级 高端 高清 高铁 高温 高速 高度 高中 高考 高价 高档 全季 全新 全额 全部 全款 全家 全国 全是 全程
    金额 金色 金牌 金卡 金币 金融 安全 安排 安装 安心 安检 方便 方式 方案 方法 方面 方向 方形 周末 周一 周二
    周三 周四 周五 周六 周日 周天 周期 周边 周年 周围 周到 白色 白金 白天 白酒 白条 黄色 黄金 黄牛 蓝色 蓝牙
    红色 常用 常见 常规 关于 关闭 关机 关注 关联 关系 包装 包邮 包裹 包括 包含 包退 包换 单号 单子 单人 单价
    单独 单程 单位 单身 于是 于此 时候 时间 应该 应付 应当 应急 应用 解决 解释 解除 解绑 解冻 解锁 连接 连续
    连锁 连不 计算 计划 计费 管理 管家 文件 文字 文档 文章 文本 易碎 易购 康复 温度 温馨 温水 华为 强制 强烈
    强行 石墨 石头 任何 任意 任务 任性 何时 何处 何必 何况 何地 余额 余下 余款 向上 向下 向左 向右 向导 向你
    谢谢 谢了 谢啦 谢过 多谢 水果 马上 马路 马桶 平台 平时 平常 许多 许可 许久 成功 成人 成都 成本 花费 花钱
    左右 左边 左侧 尚未 符合 符号 路上 路口 路由 路线 路费 盛大 景点 景区 经济 经常 经理 经过 齐全 庄园 童装
    童鞋 费用 费率 项目 项链 宫廷 宿舍 申请 申诉 申通 段落 陈旧 张开 张贴 张数 王者 孙子 孙女 叶子 沙发 苏打
    苏宁 钟头 钟点 陆续 陆地 范围 范本 付款 付费 付钱 付清 付过 熊猫 龙头 龙虾 贺卡 毛巾 毛衣 毛线 戴上 戴着
    莫名 胡同 胡椒 曾经 曾用 杜绝 夏天 夏季 秋天 秋季 冬天 牛奶 牛肉 牛仔 房间 房子 房东 房型 房费 车票 车次
    车子 车间 车牌 车费 程序 程度 简单 简介 简体 严重 严格 宁可 宁愿 宁波 充值 凌晨 柏油 雷电 雷达 荣幸 冷冻
    冷藏 冷气 游戏 游客 游玩 连衣 代理 代购 代收 商品 商家 钱包 钱款 钱数 施工 党员 祝您 祝你 祝好 麦当 龙卡
    广州 徐州 苏州 郑州 温州 杭州 唐山 黄山 江苏 江西 安徽 贺州 常州 柳州 钦州 梅州 万一 查询 查看 查下 查过
    查一 支付 支持 支行 明天 明白 明细 别的 别人 水电 越快 相同 相关 相机 来电 来自 和你 和他 和我 和她 和平
    国家 国际 国内 通过 通知 通话 能不 能否 能用 能退 都是 都有 都可 有效 有关 有人 有没 有空 有货 要不 要求
    商务 商店 印章 印刷 年费 年底 年初 宝贝 宝宝 宝马 双人 双倍 双十 信用 信息 冰箱 冰淇 洗衣 洗发 衣服 衣架
    战略 战场 生活 生日 生产 修改 修好 修理 货物 货到 货款 货车 屠宰 台灯 台式 行李 行程 行了 法律 法人 法国
    门店 门口 门票 串货 外卖 快递 客人 客房 学生 老板 员工 司机 房客 租客 网友 朋友 同事 家人 家属 孩子 本人
    米色 米饭 米粉 米线 安卓 安踏 安静 方太 金立 黄酒 白菜 姜茶 鲍鱼 熊掌 毛毯 毛病 金条 钱币 车厘 房租 管道 管用 常温
    段子 段位 游泳 连夜 章程 阳台 曲线 商量 冷静 国外 易拉 洪水 费劲 宋体 史诗 江湖 颜色 梅子 林业 徐徐 骆驼 田园 胡说 莫非
    裘皮 宗旨 单反 左手 石油 吉利 甄别 封面 储值 焦急 谷歌 甘蔗 武器 龙井 薄荷 赖账 池子 乔装 桑拿 桂圆 尚好 温泉 欧元 隆重
    辛苦 权利 盖子 汤圆 施华 王老
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words that begin with what is a family name elsewhere."""

_PLACES = frozenset(
    """
    石家庄 唐山 秦皇岛 邢台 张家口 沈阳 安阳 安庆 安顺 安康 安吉 江阴 江门 江油 金华 金昌 金门 马鞍山 张家界 张家港 连云港
    武汉 武威 武夷山 武当山 池州 岳阳 邵阳 曲靖 曲阜 宁夏 宁德 甘肃 甘孜 白山 白城 白银 白沙 龙岩 龙泉 毕节 景德镇 景洪 包头
    余姚 余杭 高雄 高邮 高密 常德 常熟 焦作 乐山 乐清 温岭 黄石 黄冈 黄埔 石狮 石嘴山 石河子 万州 万宁 万载 吴忠 吴江 单县
    齐齐哈尔 路桥 项城 邓州 许昌 商丘 商洛 雷州 滕州 鲁山 邹城 曹县 陆丰 巫山 巫溪 梅县 顾村 钟祥 汤阴 易县 涂山 柯桥 房山
    方山 房县 孟州 孟津 凌源 盛泽 凤凰 魏县 蔡甸 闵行 宝山 向阳镇 东莞 谷城 罗湖 罗源 罗田 潘集 万年县 应城 应县 盖州 霍邱 霍山
    """.split()  # noqa: SIM905 (a table of words)
)
"""Cities and districts that begin with what is a family name elsewhere (GB/T 2260)."""

_MORE_SURNAMES = frozenset("万成商钱支米曲宿隆匡国文占谌戚邝邬阳於储靖奚桂滑裘游竺权岑薄鄢")
_OPENINGS = (
    "您好", "你好", "好的", "好", "嗯嗯", "嗯", "是的", "对的", "可以", "行", "我的名字叫", "我的名字是",
    "名字叫", "名字是", "我的姓名是", "姓名是", "姓名", "免贵", "名字", "我叫", "我是", "叫我", "叫做", "叫", "本人",
    "是", "收货人是", "收货人", "收件人是", "收件人", "联系人是", "联系人", "乘客", "乘机人", "持卡人", "我",
)  # fmt: skip
_CUES = (
    "手机号码", "手机号", "手机", "电话号码", "电话", "联系方式", "身份证号", "身份证", "邮箱", "地址", "订单号", "订单",
    "谢谢", "就可以", "就行", "即可", "的", "吧", "哦", "哈", "呢", "啊", "呀", "收", "这个", "本人",
)  # fmt: skip
_RUN = compile_re2("[㐀-鿿豈-\ufaff]+(?:[·•・][㐀-鿿豈-\ufaff]+)*")
_PUNCTUATION = " \t,.:;!~，。：；！、～—-"
_LONGEST = 3
_LONGEST_REPLY = 200


def is_han(char: str) -> bool:
    """Tell a Han character (unified ideographs, extension A, compatibility forms)."""
    return "㐀" <= char <= "鿿" or "豈" <= char <= "\ufaff"


def person(value: str) -> bool:
    """Tell a whole name: a known family name and one or two characters, or parts with ``·``.

    A family name with a title (陈经理), a nickname (小刘) and words (高兴) are none.
    """
    letters = "".join(c for c in value if c not in "·•・")
    if not letters or not all(map(is_han, letters)):
        return False
    if len(letters) < len(value):
        return len(letters) >= 4 and value[-1] not in "·•・"
    if (
        value in NOT_NAMES
        or value in _PLACES
        or value[:2] in _WORDS
        or value.endswith(TITLES)
    ):
        return False
    if value[:2] in _SURNAMES_OF_TWO:
        return len(value) in {3, 4}
    if value[-1] in _NEVER_LAST:
        return False
    surname = value[:1] in _SURNAMES or value[:1] in _MORE_SURNAMES
    return surname and 2 <= len(value) <= _LONGEST and not _POINTERS.intersection(value)


_POINTERS = frozenset("她他它你您我的了吗呢吧是不没在有")
"""Characters of pointing and asking words, in hardly any name."""


_NEVER_LAST = frozenset("为会到型的过等个们了")


def extent(
    text: str, start: int, end: int, expected: Collection[str] = ()
) -> tuple[int, int] | None:
    """Narrow what stands behind ``我叫`` to the name, its title left out."""
    del expected
    end = start + len(_untitled(text[start:end]))
    return (start, end) if person(text[start:end]) else None


def answers(text: str, expected: Collection[str]) -> list[Reading]:
    """Give the name with which a reply to ``怎么称呼您？`` begins."""
    del expected
    if len(text) > _LONGEST_REPLY:
        return []
    start = _opened(text)
    run = _RUN.match(text, start)
    if run is None:
        return []
    said = run.group()
    name, rest = _untitled(said), said
    for _ in range(3):
        cut = next((c for c in _CUES if rest.endswith(c) and len(rest) > len(c) + 1), None)
        if cut is None:
            break
        rest = rest.removesuffix(cut)
        name = _untitled(rest)
    if not person(name):
        return []
    end = start + len(name)
    whole = end == run.end() and not text[end:].strip(_PUNCTUATION + "\r\n")
    return [Reading(start, end, whole=whole)]


def _opened(text: str) -> int:
    place, moved = 0, True
    while moved:
        moved = False
        while place < len(text) and text[place] in _PUNCTUATION:
            place += 1
        if text.startswith("姓", place) and text[place + 2 : place + 3] in {",", "，"}:
            place += 2
            moved = True
            continue
        for word in _OPENINGS:
            if text.startswith(word, place) and len(text) > place + len(word):
                place, moved = place + len(word), True
                break
    return place


def _untitled(value: str) -> str:
    for title in TITLES:
        if value.endswith(title) and person(value.removesuffix(title)):
            return value.removesuffix(title)
    return value
