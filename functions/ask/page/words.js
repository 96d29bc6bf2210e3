// What the page says, in English, Japanese and Korean: a line a word, in this order.

const LANGUAGES = ["en", "ja", "ko"];
const WORDS = {
  ask: ["Ask", "質問する", "질문하기"],
  documents: ["Documents", "文書", "문서"],
  language: ["Language", "言語", "언어"],
  question: ["Your question", "質問", "질문"],
  options: ["Where to search, and how", "検索範囲と方法", "검색 범위와 방법"],
  collections: ["Collections (none chosen: all)", "コレクション(未選択はすべて)", "컬렉션(선택하지 않으면 모두)"],
  keys: ["Only these documents, one a line", "この文書のみ(1行に1つ)", "이 문서만(한 줄에 하나)"],
  tags: ["Tags, with commas between", "タグ(コンマ区切り)", "태그(쉼표로 구분)"],
  since: ["Dated since", "日付(開始)", "날짜(시작)"],
  until: ["Dated until", "日付(終了)", "날짜(끝)"],
  strategy: ["Strategy", "ストラテジー", "전략"],
  policy: ["More of the policy, as JSON", "ポリシーのその他の項目(JSON)", "정책의 다른 항목(JSON)"],
  badPolicy: ["The policy is not a JSON object.", "ポリシーがJSONオブジェクトではありません。", "정책이 JSON 객체가 아닙니다."],
  anew: ["New conversation", "新しい会話", "새 대화"],
  export: ["Save as Markdown", "Markdownで保存", "Markdown으로 저장"],
  running: ["Working on it…", "処理中…", "처리 중…"],
  done: ["The answer has come.", "回答が届きました。", "답변이 도착했습니다."],
  failed: ["That failed.", "失敗しました。", "실패했습니다."],
  unreachable: ["The service cannot be reached.", "サービスに接続できません。", "서비스에 연결할 수 없습니다."],
  answered: ["Answered", "回答済み", "답변함"],
  partial: ["Partial", "一部のみ", "일부만"],
  abstained: ["Not found in the documents", "文書に見つかりません", "문서에서 찾지 못함"],
  evidence: ["Evidence", "根拠", "근거"],
  citation: ["Citation", "引用", "인용"],
  page: ["page", "ページ", "쪽"],
  claims: ["Claims and their support", "主張と裏付け", "주장과 뒷받침"],
  foundByRule: [
    "Found word for word in the source. No model checked whether it answers the question.",
    "出典に一字一句そのまま書かれています。質問の答えになっているかは、モデルが確認していません。",
    "출처에 글자 그대로 있습니다. 질문에 대한 답인지는 모델이 확인하지 않았습니다.",
  ],
  notFoundByRule: [
    "Not found word for word in the source. No model checked it.",
    "出典にそのままの文は見つかりません。モデルは確認していません。",
    "출처에서 글자 그대로 찾지 못했습니다. 모델이 확인하지 않았습니다.",
  ],
  overlap: ["words in common", "共通の語", "공통된 단어"],
  noModel: [
    "No model is connected: sentences are quoted by rule, not written by a model. To connect one, set ANTHROPIC_API_KEY.",
    "モデルは接続されていません。文は規則による引用で、モデルが書いたものではありません。接続するにはANTHROPIC_API_KEYを設定してください。",
    "연결된 모델이 없습니다. 문장은 모델이 쓴 것이 아니라 규칙으로 인용한 것입니다. 연결하려면 ANTHROPIC_API_KEY를 설정하세요.",
  ],
  full: ["supported", "裏付けあり", "뒷받침됨"],
  some: ["partly supported", "一部裏付けあり", "일부 뒷받침됨"],
  none: ["not supported", "裏付けなし", "뒷받침 없음"],
  contradicted: ["contradicted", "矛盾", "모순됨"],
  fully_supported: ["Fully supported by its passages", "全文が裏付けられています", "모두 뒷받침됨"],
  partially_supported: ["Partly supported", "一部が裏付けられています", "일부 뒷받침됨"],
  no_support: ["Not supported", "裏付けがありません", "뒷받침되지 않음"],
  ungraded: ["not judged", "未判定", "판정되지 않음"],
  why: ["Why each step was taken", "各ステップの理由", "각 단계의 이유"],
  verdicts: ["Verdicts", "判定", "판정"],
  retrieve: ["Search needed", "検索の要否", "검색 필요 여부"],
  relevance: ["Passages judged", "判定された箇所", "판정된 구절"],
  relevant: ["relevant", "関連あり", "관련 있음"],
  ambiguous: ["perhaps relevant", "関連の可能性", "관련 가능성"],
  irrelevant: ["not relevant", "関連なし", "관련 없음"],
  utility: ["Usefulness, of 5", "有用性(5段階)", "유용성(5점 만점)"],
  searched: ["What was searched", "検索した内容", "검색한 내용"],
  nearest: ["What came nearest", "最も近かった箇所", "가장 가까웠던 구절"],
  advice: ["What you can do", "次にできること", "할 수 있는 일"],
  adviceText: [
    "Ask in the words of the documents, search with fewer filters, or add the document that has it.",
    "文書で使われている言葉で質問する、検索範囲を広げる、または該当する文書を追加してください。",
    "문서에 쓰인 말로 질문하거나, 검색 범위를 넓히거나, 해당 문서를 추가해 보세요.",
  ],
  cost: ["Cost and time", "費用と時間", "비용과 시간"],
  calls: ["model calls", "モデル呼び出し", "모델 호출"],
  unknown: ["unknown", "不明", "알 수 없음"],
  console: ["Open the execution in the AWS console", "AWSコンソールで実行を開く", "AWS 콘솔에서 실행 열기"],
  link: ["Link to this answer", "この回答へのリンク", "이 답변의 링크"],
  useful: ["Useful", "役に立った", "유용함"],
  useless: ["Not useful", "役に立たない", "유용하지 않음"],
  better: ["What would have been right?", "正しい回答は?", "올바른 답은 무엇인가요?"],
  save: ["Save", "保存", "저장"],
  thanks: ["Thank you: it is kept.", "ありがとうございます。保存しました。", "감사합니다. 저장했습니다."],
  drop: ["Drop files here, or choose them.", "ここにファイルをドロップするか、選択してください。", "여기에 파일을 놓거나 선택하세요."],
  collection: ["Into the collection", "追加先のコレクション", "추가할 컬렉션"],
  files: ["Files", "ファイル", "파일"],
  needsCollection: ["Name a collection first.", "先にコレクションを指定してください。", "먼저 컬렉션을 지정하세요."],
  notSent: ["The file could not be sent.", "ファイルを送信できませんでした。", "파일을 보내지 못했습니다."],
  sending: ["sending", "送信中", "보내는 중"],
  awaited: ["expected", "到着待ち", "도착 대기 중"],
  working: ["being read", "読み取り中", "읽는 중"],
  ready: ["ready", "準備完了", "준비됨"],
  unread: ["cannot be read", "読み取れません", "읽을 수 없음"],
  removing: ["being removed", "削除中", "삭제 중"],
  gone: ["deleted", "削除しました", "삭제됨"],
  passages: ["passages", "箇所", "구절"],
  noEnd: ["It takes long: look again later.", "時間がかかっています。後で再読み込みしてください。", "시간이 오래 걸립니다. 나중에 다시 확인하세요."],
  refresh: ["Reload", "再読み込み", "다시 보기"],
  more: ["More", "さらに表示", "더 보기"],
  noDocuments: ["There are no documents yet.", "文書はまだありません。", "아직 문서가 없습니다."],
  remove: ["Delete", "削除", "삭제"],
  sure: ["Really delete?", "本当に削除しますか?", "정말 삭제할까요?"],
  key: ["API key", "APIキー", "API 키"],
  keyWhy: [
    "This service answers those who have a key. It is kept until this tab is closed.",
    "このサービスの利用にはキーが必要です。キーはこのタブを閉じるまで保持されます。",
    "이 서비스를 쓰려면 키가 필요합니다. 키는 이 탭을 닫을 때까지만 보관됩니다.",
  ],
  keyRefused: ["This key was refused.", "このキーは拒否されました。", "이 키는 거부되었습니다."],
  earlier: [
    "An earlier answer, whose question is not kept with it:",
    "以前の回答(質問は保存されていません):",
    "이전 답변(질문은 함께 보관되지 않음):",
  ],
  badLink: ["This link leads to no answer.", "このリンクに対応する回答はありません。", "이 링크에 해당하는 답변이 없습니다."],
  go: ["Go on", "続ける", "계속"],
  workflow: ["The workflow", "ワークフロー", "워크플로"],
  lookup: ["Search", "検索", "검색"],
  reading: ["Read and answer", "読解と回答", "읽기와 답변"],
  judge: ["Judge", "検証", "검증"],
  compose: ["Compose", "作成", "작성"],
  found: ["Passages found", "見つかった箇所", "찾은 구절"],
  score: ["search score", "検索スコア", "검색 점수"],
  judging: ["not judged yet", "判定待ち", "판정 대기"],
  compare: ["Compare", "比較", "비교"],
  answers: ["Answers compared", "比較した回答", "비교한 답변"],
  sentences: ["Sentences compared, each below the one before", "比較した文(前の文の下に表示)", "비교한 문장(앞 문장 아래에 표시)"],
  worth: ["score", "スコア", "점수"],
  chosen: ["chosen", "採用", "채택됨"],
  kept: ["kept", "候補に残存", "후보로 남음"],
  pruned: ["left out", "除外", "제외됨"],
  out_ungraded: ["its passage was not judged", "箇所が未判定", "구절이 판정되지 않음"],
  out_irrelevant: ["its passage is not relevant", "箇所に関連がない", "구절이 관련 없음"],
  out_no_support: ["its passage does not support it", "箇所の裏付けがない", "구절이 뒷받침하지 않음"],
  out_no_answer: ["no answer came of it", "回答が得られない", "답변을 얻지 못함"],
  out_repeated: ["it says the same again", "同じ内容の繰り返し", "같은 내용의 반복"],
  out_cut: ["it was cut off by its length", "長さの上限で中断", "길이 제한으로 잘림"],
  out_beam: ["others were better", "より良い候補がある", "더 나은 후보가 있음"],
  noPassage: ["no passage", "箇所なし", "구절 없음"],
  votes: ["Votes", "得票", "득표"],
  scale_labels: [
    "Scores of labels, each taken as certain; not comparable with another generator's",
    "ラベルを確実とみなしたスコア。他の生成モデルとは比較できません",
    "레이블을 확실한 것으로 본 점수. 다른 생성 모델과 비교할 수 없음",
  ],
  scale_probabilities: [
    "Scores of the model's own probabilities; not comparable with another generator's",
    "モデル自身の確率によるスコア。他の生成モデルとは比較できません",
    "모델 자체의 확률로 계산한 점수. 다른 생성 모델과 비교할 수 없음",
  ],
  stopped_no_evidence: ["Ended: no further evidence was found.", "終了: これ以上の根拠なし", "종료: 더 이상의 근거 없음"],
  stopped_depth: ["Ended: as many sentences as are allowed.", "終了: 文の数の上限", "종료: 문장 수 제한"],
  stopped_calls: ["Ended: the limit of model calls.", "終了: モデル呼び出しの上限", "종료: 모델 호출 제한"],
  stopped_sequences: ["Ended: the limit of sequences.", "終了: シーケンスの上限", "종료: 시퀀스 제한"],
  stopped_cost: ["Ended: the limit of cost.", "終了: 費用の上限", "종료: 비용 제한"],
  stopped_deadline: ["Ended: the time was up.", "終了: 時間切れ", "종료: 시간 초과"],
  stopped_fault: ["Ended: a step failed.", "終了: 手順の失敗", "종료: 단계 실패"],
  nothingNear: ["No passage came near.", "近い箇所はありませんでした。", "가까운 구절이 없었습니다."],
  lookAtDocuments: ["Look at the documents", "文書を見る", "문서 보기"],
};

// The one that was chosen in this tab, or else the first that the browser prefers.
let language = [sessionStorage.getItem("selfrag-language"), ...navigator.languages.map((one) => one.split("-")[0]), "en"]
  .find((one) => LANGUAGES.includes(one));

const word = (name) => WORDS[name][LANGUAGES.indexOf(language)];

// A verdict or status in words; one that is not known yet stays as it is.
const inWords = (name) => (Object.hasOwn(WORDS, name) ? word(name) : String(name));

// A number as the language writes it, with this many digits behind the point.
function decimal(value, digits, style = {}) {
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, { ...style, ...exact }).format(value);
}

function speak(chosen) {
  language = chosen;
  sessionStorage.setItem("selfrag-language", chosen);
  document.documentElement.lang = chosen;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", word(one.dataset.label));
}
