/** What code hosts, their bots and CI look for in text: written from their side, not from that of the rules. */
import fc from 'fast-check'

const closing = 'close|closes|closed|fix|fixes|fixed|resolve|resolves|resolved|implements|reopens'

const forms: Record<string, RegExp> = {
  mention: /@[\w-]/,
  // Gitea's own, and what GitHub and GitLab add to it
  issue: /(?:^|\W)[#!]\d+|[\w.-]+\/[\w.-]+[#!]\d+/,
  issueByName: /\bGH-\d+/i,
  issueElsewhere: new RegExp(`\\b(?:${closing}):? +[A-Z][A-Z0-9_]+-\\d+`, 'i'),
  link: /\w:\/\/\w|\bwww\.\w/i,
  skipCi:
    /\[(skip|ci|no|actions|netlify|vercel)[ -](ci|skip|actions|netlify|vercel)\]|\*\*\*NO_CI\*\*\*|^skip-checks *: *true/im,
  trailer: /^(signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|tested-by) *:/im,
  breaking: /^BREAKING[ -]CHANGE *:/m,
  divider: /^---(\s|$)/m,
  command: /^ *\/(merge|close|approve|assign|lgtm)(\s|$)/m,
  smartCommit: /\b[A-Z]+-\d+ +#(close|done|comment|time)\b/,
  unseen: /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|[^\P{Cc}\n]/u,
}

export function activeForms(text: string): string[] {
  return Object.entries(forms)
    .filter(([, pattern]) => pattern.test(text))
    .map(([name]) => name)
}

const pieces = [
  ...[
    '@',
    'alice',
    '@alice',
    '@org/team',
    'bob@example.com',
    '#',
    '#1',
    '!',
    '!2',
    '12',
    'o/n#3',
    'GH-4',
    'ABC-5',
    'UTF-8',
  ],
  ...[
    'Fixes',
    'closes',
    'Resolves:',
    'issue',
    ' and ',
    ', ',
    'https',
    '://',
    'http://a.example/issues/1',
    'www',
    '.',
    'www.x.y',
  ],
  ...[
    '[',
    ']',
    '[skip ci]',
    'skip',
    ' ',
    'ci',
    'no',
    '***',
    'NO_CI',
    'skip-checks: true',
    'Signed-off-by',
    ':',
    'Co-authored-by: E <e@f>',
  ],
  ...[
    'BREAKING CHANGE:',
    '---',
    '-',
    '/',
    '/merge',
    'assign',
    '\n',
    '\n\n',
    '\t',
    '\r\n',
    '    ',
    '> ',
    '- ',
    '1. ',
    '# ',
    '* ',
  ],
  ...[
    '\\',
    '`',
    '``',
    '```',
    '~~~',
    '```js\n',
    '<',
    '>',
    '<img src=x>',
    '<!--',
    '-->',
    '&',
    '&#64;',
    '&commat;',
    '&lt;',
    '(',
    ')',
    '![',
    '](',
    '![a](http://x.y/z.png)',
  ],
  ...[
    '[a](b)',
    '[a]: http://x.y',
    '<http://x.y>',
    '*',
    '_',
    '**',
    '|',
    '$',
    '=',
    '===',
    '\u200b',
    '\u202e',
    '\u2060',
    '\u{e0041}',
    '\u00a0',
    '\u2028',
    '\u0000',
    '\u001b[2J',
  ],
  ...['e\u0301', '\ud800', '\ufeff', 'done', '#done', 'a', 'Z', '0', 'é', '漢', '🦉'],
]

/** Strings made of what hosts act on, cut and joined in ways that nobody thought of. */
export const agentText = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''))
