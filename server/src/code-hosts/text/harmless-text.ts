/**
 * Text that an agent wrote, so that no host, bot or build acts on it: it mentions nobody, closes nothing, adds no trailer,
 * skips no CI, runs no command and hides nothing.
 *
 * It stays readable: where a sign would act on what follows it, a space goes between the two ("@ name", "fixes # 1").
 * Escapes, code spans and entities do not help here: hosts look for mentions after they have rendered Markdown, and a pull
 * request's text becomes a commit message, where there is no Markdown, when it is merged by squashing.
 */
export function harmlessText(text: string): string {
  return apply(rulesAtLineStart, harmlessPart(text))
}

/** The same for a part of a line that is not its beginning. */
export function harmlessPart(text: string): string {
  return apply(rulesAnywhere, visibleText(text))
}

/** On one line, and not longer than this. */
export function harmlessLine(text: string, maxCharacters: number): string {
  const line = harmlessText(visibleText(text).replace(/\s+/g, ' ').trim())
  const characters = [...line]
  if (characters.length <= maxCharacters) return line
  return harmlessText(
    `${characters
      .slice(0, maxCharacters - 2)
      .join('')
      .trimEnd()}…`,
  )
}

/** Without what is not seen or turns text around; all line ends and spaces the usual ones. */
export function visibleText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/\t|(?!\n)[\p{Zs}]/gu, ' ')
    .replace(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu, '')
    .normalize('NFC')
}

const closingWords =
  'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|complete[sd]?|reopen(?:s|ed)?'
const issueKey = '[a-z][a-z0-9_]*-\\d+'
const closedKeys = new RegExp(
  `\\b(?:${closingWords})\\b:? +(?:issues? +)?${issueKey}(?:(?: *, *| +)(?:and +)?${issueKey})*`,
  'gi',
)

const spaced = (match: string) => `${match} `
const withoutHyphens = (match: string) => match.replaceAll('-', ' ')

type Rule = readonly [pattern: RegExp, replace: (match: string, inner: string) => string]

const apply = (rules: readonly Rule[], text: string) =>
  rules.reduce((result, [pattern, replace]) => result.replace(pattern, replace), text)

/** In this order: none makes anything that one before it would change. */
const rulesAnywhere: readonly Rule[] = [
  // [skip ci], [ci skip], [no ci], [CF-Pages-Skip], ***NO_CI***
  [/\[([^[\]()\n]*)\]/g, (match, inner) => (/skip|\bno[\W_]?(ci|actions)\b/i.test(inner) ? `(${inner})` : match)],
  [/\bno_ci\b/gi, (match) => match.replace('_', ' ')],
  // What release tools look for, in capitals only
  [/\bBREAKING[ -]CHANGE\b/g, () => 'Breaking change'],
  // "closes ABC-12" acts on other trackers; by itself "ABC-12" may also be "UTF-8"
  [closedKeys, (match) => match.replace(/-(?=\d)/g, ' ')],
  [/\bGH-(?=\d)/gi, withoutHyphens],
  // Links: to elsewhere, and to issues by their full address
  [/:\/\/(?=\S)/g, spaced],
  [/\bwww\.(?=\S)/gi, spaced],
  // @name, @org/team, name@host
  [/@(?=\S)/g, spaced],
  // #1, owner/repository#1, !1
  [/[#!](?=\d)/g, spaced],
  // "ABC-12 #done" is a command to Jira
  [/(?<![\w/])#(?=[a-z])/gi, spaced],
]

const rulesAtLineStart: readonly Rule[] = [
  // Signed-off-by:, Co-authored-by:, Change-Id:, skip-checks:
  [/^ *[a-z0-9]+(?:-[a-z0-9]+)+(?= *:)/gim, withoutHyphens],
  // Ends the message for tools that read patches
  [/^---(?=\s|$)/gm, () => '----'],
  // GitLab's quick actions, and the commands of many bots; not /docs/page.md
  [/^ *\/(?=[a-z_]+(?![\w/.-]))/gim, spaced],
]
