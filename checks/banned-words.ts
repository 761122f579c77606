/** The words that docs/contributing/glossary.md rules out, in a form that a program can look for. */

interface BannedPattern {
  /** The word as the glossary has it. */
  word: string
  pattern: RegExp
  /** What to write instead. */
  use: string
  /** The test of this check shows that it is reported. */
  example: string
}

/** In text: documentation, comments, messages, the dashboard, the API description. Upper and lower case are the same. */
export const bannedWords: readonly BannedPattern[] = [
  {
    word: 'whoever',
    pattern: /\bwho(ever|mever|sever)\b/,
    use: 'the caller, anyone who',
    example: 'Whoever asks gets it.',
  },
  {
    word: 'somebody',
    pattern: /\bsomebod(y|ies)\b/,
    use: 'someone, a person',
    example: 'Somebody pushed to it.',
  },
  { word: 'anew', pattern: /\banew\b/, use: 'again, recreate', example: 'The turn begins anew.' },
  { word: 'for ever', pattern: /\bfor ever\b/, use: 'forever', example: 'Views are kept for ever.' },
  { word: 'of today', pattern: /\bof today\b/, use: 'current', example: 'The name of today.' },
  { word: 'under way', pattern: /\bunder way\b/, use: 'in progress', example: 'Calls that are under way.' },
  {
    word: 'mend',
    pattern: /\bmend(s|ed|ing)?\b/,
    use: 'fix, repair, reconcile',
    example: 'A broken link was mended.',
  },
  { word: 'witness', pattern: /\bwitness(es)?\b/, use: 'source', example: 'Two witnesses count views.' },
  {
    word: 'tell of',
    pattern: /\b(tell|tells|told|telling) of\b/,
    use: 'report',
    example: 'A server tells of views.',
  },
  { word: 'sign of life', pattern: /\bsigns? of life\b/, use: 'heartbeat', example: 'It shows no sign of life.' },
  {
    word: 'stand still',
    pattern: /\b(stand|stands|stood|standing) still\b/,
    use: 'stall',
    example: 'A job that stands still.',
  },
  {
    word: 'is away',
    pattern: /\b(is|are|was|were|be|been) away\b/,
    use: 'is down, is unavailable',
    example: 'ClickHouse is away.',
  },
  {
    word: 'try',
    pattern: /\b(a|one|another|the|this|that|each|every|first|second|last|next) (more |new )?tr(y|ies)\b(?! to\b)/,
    use: 'attempt, retry',
    example: 'The second try works.',
  },
  {
    word: 'engine',
    pattern: /\bengines?\b/,
    use: 'service, database, agent; container runtime',
    example: 'An engine is unreachable.',
  },
  {
    word: 'installation',
    pattern: /\b(runs?|of|for) (the|this|our|an) installation\b|\bthis installation\b/,
    use: 'instance',
    example: 'The person who runs the installation.',
  },
  {
    word: 'is no',
    pattern: /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b|different\b|match\b)[a-z]/,
    use: '"is not a …"',
    example: 'What it sends is no view.',
  },
  { word: 'in words', pattern: /\bin words\b/, use: 'as text', example: 'The scopes in words.' },
  { word: 'stand-in', pattern: /\bstand-ins?\b/, use: 'simulator', example: 'A stand-in for GitHub.' },
  { word: 'papers', pattern: /\bpapers\b/, use: 'docs', example: 'The papers are true.' },
  {
    word: 'look at',
    pattern: /\blooks? at it\b/,
    use: 'reads, inspects, polls',
    example: 'The worker looks at it.',
  },
  {
    word: 'slip of the pen',
    pattern: /\bslips? of the pen\b/,
    use: 'typo',
    example: 'Taken for a slip of the pen.',
  },
  { word: 'at the most', pattern: /\bat the most\b/, use: 'at most', example: 'Five at the most.' },
  { word: 'few at once', pattern: /\bfew at once\b/, use: 'semaphore', example: 'Only a few at once are read.' },
  {
    word: 'let go of',
    pattern: /\blet(s|ting)? go of\b/,
    use: 'release',
    example: 'The worker lets go of the lease.',
  },
  { word: 'tired', pattern: /\btired\b/, use: 'rate limited', example: 'A host that is tired.' },
  { word: 'trouble', pattern: /\btroubles?\b/, use: 'issue, error, failure', example: 'The trouble of a repository.' },
  {
    word: 'behaviour',
    pattern:
      /\b(behaviours?|colours?|favourites?|honours?|neighbours?|licences?|catalogues?|centres?|labelled|modelling|travelled|fulfil)\b/,
    use: 'US spelling',
    example: 'The behaviour of a licence.',
  },
  {
    word: 'recognise',
    pattern:
      /\b(recogni|organi|normali|seriali|initiali|optimi|authori|saniti|summari|categori|customi|minimi|maximi|utili|finali|capitali|synchroni|prioriti|memori|speciali|stabili)s(e|ed|es|er|ers|ing|ation|ations)\b/,
    use: 'US spelling (-ize)',
    example: 'It is recognised by its name.',
  },
  {
    word: 'canceled',
    pattern: /\bcancel(ed|ing)\b/,
    use: 'cancelled, cancelling',
    example: 'The job was canceled.',
  },
]

/** In names of variables, functions, types and members. */
export const bannedIdentifiers: readonly BannedPattern[] = [
  { word: 'most…', pattern: /^#?most[A-Z]/, use: 'max…', example: 'mostTokens' },
  { word: 'most…', pattern: /[a-z]Most[A-Z]/, use: 'Max…', example: 'jobMostTokens' },
  { word: 'least…', pattern: /^#?(least|fewest)[A-Z]/, use: 'min…', example: 'leastTokens' },
  { word: 'least…', pattern: /[a-z](Least|Fewest)[A-Z]/, use: 'Min…', example: 'jobLeastTokens' },
  {
    word: 'words',
    pattern: /InWords$|^wordsFor|^wordsOf$|Words$/,
    use: 'format…, …Label, …Message',
    example: 'costInWords',
  },
  { word: '…Parts', pattern: /Parts$/, use: '…Deps', example: 'ApiParts' },
  { word: 'witness', pattern: /[Ww]itness/, use: 'source', example: 'witness' },
  { word: 'trouble', pattern: /[Tt]rouble/, use: 'issue, fault', example: 'repositoryTrouble' },
  {
    word: 'keeper',
    pattern: /[a-z]Keeper$|^keeper$/,
    use: 'heartbeat, retention, supervisor',
    example: 'offerKeeper',
  },
  { word: 'door', pattern: /[a-z]Door$|^door$/, use: 'client, connector', example: 'githubDoor' },
  { word: 'under way', pattern: /[Uu]nderWay/, use: 'inProgress', example: 'isUnderWay' },
  { word: 'stand still', pattern: /[Ss]tandingStill/, use: 'stalled', example: 'takeStandingStill' },
  { word: 'tell', pattern: /^#?tell([A-Z]|$)/, use: 'report, log, notify', example: 'tellSaved' },
  { word: 'mend', pattern: /(^#?mend|Mend)[A-Z]/, use: 'repair, reconcile', example: 'mendBlock' },
  {
    word: 'engine',
    pattern: /(^|[a-z#])(Engine|engine)s?([A-Z]|$)/,
    use: 'service, agent',
    example: 'EngineConfig',
  },
]

/** Words of the glossary that no pattern can find, because they are right in another meaning. Reviewers look for these. */
export const ambiguousBannedWords: Readonly<Record<string, string>> = {
  reader: 'a reader of a stream or a file, a person who reads the docs',
  people: 'people with an account',
  make: 'an ordinary verb: make a request, make sure',
  made: 'an ordinary verb: made by the caller',
  ends: 'a stream, a turn or a process ends',
  lasts: 'a wait or an outage lasts',
  'take turns': 'a runner can take turns of several projects',
  hold: 'a value or a rule holds',
  rest: 'the rest of a list',
  ask: 'a program asks a person for a password',
  question: 'a person asks a question',
  answer: 'a person or a model answers',
  wall: 'wall-clock time',
  box: 'a text box, a check box',
  'way out': 'an ordinary phrase: the way out of a bad state',
  'way in': 'an ordinary phrase: the way in which',
  visit: 'to visit the nodes of a tree, to visit a page in a browser',
  played: 'an ordinary verb',
  promise: 'a JavaScript promise',
}

export interface BannedWordException {
  /** What is allowed. Banned words that overlap a match are not reported. */
  pattern: RegExp
  reason: string
  /** The test of this check shows that it is not reported. */
  example: string
  /** Only in files whose path begins like one of these. */
  files?: readonly string[]
}

export const allowedTexts: readonly BannedWordException[] = [
  { pattern: /\bENGINE ?= ?\w/, reason: "ClickHouse's SQL", example: 'CREATE TABLE t (a Int8) ENGINE = MergeTree' },
  { pattern: /\btable engines?\b/, reason: "ClickHouse's term", example: 'The table engine deduplicates.' },
  { pattern: /\bsearch engines?\b/, reason: 'the usual name for Google and others', example: 'A search engine.' },
  { pattern: /\bDocker Engine\b/, reason: 'name of a product', example: 'Docker Engine 28 or newer.' },
  {
    pattern: /\binstallation (event|ID|token)|\binstallations? of (a|an|the|this|its) (GitHub )?App\b/,
    reason: 'a GitHub App is installed in an organization, which GitHub calls an installation',
    example: 'The webhook for an installation event.',
  },
  {
    pattern: /\bthis installation\b/,
    reason: "GitHub's own error messages",
    example: 'This installation has been suspended',
    files: ['testing/simulators/github/'],
  },
]

export const allowedIdentifiers: readonly BannedWordException[] = [
  { pattern: /^formatToParts$/, reason: 'method of Intl.DateTimeFormat', example: 'formatToParts' },
  { pattern: /MostAdvanced/, reason: 'a superlative, not a limit', example: 'findMostAdvancedJob' },
  {
    pattern: /^engine$/,
    reason: "field of zlib's result with the option `info`",
    example: 'engine',
    files: ['server/src/code-hosts/git/check-pack.ts'],
  },
]
