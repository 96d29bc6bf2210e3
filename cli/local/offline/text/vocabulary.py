"""Word lists: what carries no content, what carries little, and what means the same.

They hold everyday and office words only, so that no rule knows anything about one set of documents.
"""


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


STOP = frozenset(
    _listed(
        """
    a an the and or but nor so if then than that this these those it its it's they them their theirs he she his her him
    we us our you your yours i me my mine is are was were be been being am do does did done doing have has had having
    will would shall should can could may might must ought of in on at by for from to with without into onto upon about
    as per via not no yes there here what which who whom whose when where why how much many long often far soon also too
    very just only even still ever please tell let let's one one's any some each every all both either neither other
    another such own same more most less least up down out off over under again before after during until till between
    among through because while get gets got getting someone somebody anyone anybody something anything thing things
    like want wants need needs know kind sort type happen happens don't doesn't didn't can't cannot won't isn't aren't
    i'm we're it's what's where's who's there's lot really exactly etc e.g i.e tl s t re ve ll d m
    """
    )
)

# Words that many sentences of a workplace hold: they tell little about which sentence is meant.
FAINT = frozenset(
    _listed(
        """
    company firm employee employees staff people person name called time number amount year use used take taken takes
    give given gives make made makes go goes come comes work works first new two part way allow allowed able possible
    day days question case maximum minimum most total currently current now today old cost costs price pay pays paid
    date open
    """
    )
)

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        _listed(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
            seventeen eighteen nineteen twenty"""
        )
    )
}

# Words that stand for one another; the first of each line is the one that the others are compared as.
SAME = tuple(
    tuple(part.strip() for part in line.split(","))
    for line in """
        working from home, work from home, remote work, remote working, telework, teleworking, home office, wfh
        annual leave, paid time off, vacation, holiday, pto
        parental leave, maternity leave, paternity leave
        sick leave, sickness absence, sick day, sick days
        resign, quit, hand in my notice
        warning, advance notice, notice
        salary, wage, wages, pay packet
        price, cost, costs, fee, charge
        bicycle, bike
        weigh, weight, heavy
        employer, company, firm
        customer, client
        laptop, computer, notebook
        reimburse, refund, pay back, repay
        delete, erase, wipe
        child, children, kid, kids, son, daughter
        newborn, baby, birth
        multiple birth, twins, triplets
        parent, father, mother
        death, died, dies, passed away, bereavement
        repair, fix, mend, busted
        probation, trial period, on trial
        visitor, guest
        close, closed, shut
        begin, start
        illness, ill, sick, fever, flu
        doctor, physician
        medical certificate, sick note, doctor's note
        hardware key, security key, security token
        application documents, cv, cvs, resume, resumes
        car, automobile, vehicle
        memory, ram
        licence, license
        telephone, phone
        overdue, late
        email, e-mail, mail
        frequently asked questions, faq
        human resources, hr, personnel
        information technology, it department, it team
        virtual private network, vpn
        key performance indicator, kpi
        service level agreement, sla
        internet, broadband
        wedding, marriage, married, marry
        training, course, class, lesson, lessons
        dismissal, fired, termination
        在宅勤務, テレワーク, リモートワーク, 在宅
        有給休暇, 有休, 年休, 年次有給休暇
        飛行機, 航空機
        喫茶店, カフェ
        予防接種, ワクチン
        パソコン, pc, コンピューター, ノートパソコン
        携帯電話, スマホ, スマートフォン, 携帯
        料金, 値段, 費用, 金額, 代金
        退職, 辞める, 辞職
        給料, 給与, 賃金
        育児休業, 育休
        申請, 申し込み, 申込
        交通費, 通勤費
        健康診断, 健診
        病気, 急病, 体調不良
        上司, マネージャー
        会議, 打ち合わせ, ミーティング
        """.strip().splitlines()
)

# Words about nothing in particular: how close a word is to them is how close it is to anything.
ANY_WORDS = _listed(
    "time house water work school paper music report table garden price letter road number health student"
)
ANY_WORDS_JA = _listed("時間 家 水 仕事 学校 紙 音楽 報告 机 庭 価格 手紙 道路 番号 健康 学生")
# Kanji that ask or join rather than name.
FORMAL_KANJI = frozenset(_listed("何 時 方 私 人 場合 下 教 中 上 間 前 後 誰 知"))
