/**
 * Changes text that an agent wrote so that no code host, bot or build acts on it: it mentions nobody, closes no issue, adds no
 * trailer, skips no CI, runs no command and hides nothing.
 *
 * The text stays readable: a space separates a character with a special meaning from the text after it ("@ name", "fixes # 1").
 * Escapes, code spans and entities do not help: hosts search for mentions after they have rendered Markdown, and a squash
 * merge turns the text of a pull request into a commit message, which is not Markdown.
 */
export function neutralizeText(text: string): string {
  return applyRules(lineStartRules, neutralizeInline(text))
}

/** The same for a part of a line other than its beginning. */
export function neutralizeInline(text: string): string {
  return applyRules(generalRules, removeInvisibleCharacters(text))
}

/** The same as a single line, shortened to `maxCharacters`. */
export function neutralizeLine(text: string, maxCharacters: number): string {
  const line = neutralizeText(removeInvisibleCharacters(text).replace(/\s+/g, ' ').trim())
  const characters = [...line]
  if (characters.length <= maxCharacters) return line
  return neutralizeText(
    `${characters
      .slice(0, maxCharacters - 2)
      .join('')
      .trimEnd()}…`,
  )
}

/** Removes invisible and bidirectional characters, and replaces all line endings and spaces by the usual ones. */
export function removeInvisibleCharacters(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?|[\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/\t|(?!\n)[\p{Zs}]/gu, ' ')
    .replace(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu, '')
    .normalize('NFC')
}

const closingKeywords =
  'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|complete[sd]?|reopen(?:s|ed)?'
const issueKey = '[a-z][a-z0-9_]*-\\d+'
const closedKeys = new RegExp(
  `\\b(?:${closingKeywords})\\b:? +(?:issues? +)?${issueKey}(?:(?: *, *| +)(?:and +)?${issueKey})*`,
  'gi',
)

const addSpace = (match: string) => `${match} `
const replaceHyphens = (match: string) => match.replaceAll('-', ' ')

type Rule = readonly [pattern: RegExp, replace: (match: string, inner: string) => string]

const applyRules = (rules: readonly Rule[], text: string) =>
  rules.reduce((result, [pattern, replace]) => result.replace(pattern, replace), text)

/** The order matters: no rule produces text that an earlier rule would change. */
const generalRules: readonly Rule[] = [
  // [skip ci], [ci skip], [no ci], [CF-Pages-Skip], ***NO_CI***
  [/\[([^[\]()\n]*)\]/g, (match, inner) => (/skip|\bno[\W_]?(ci|actions)\b/i.test(inner) ? `(${inner})` : match)],
  [/\bno_ci\b/gi, (match) => match.replace('_', ' ')],
  // Release tools search for this, in capitals only
  [/\bBREAKING[ -]CHANGE\b/g, () => 'Breaking change'],
  // "closes ABC-12" acts on other issue trackers; without the keyword, "ABC-12" may also be "UTF-8"
  [closedKeys, (match) => match.replace(/-(?=\d)/g, ' ')],
  [/\bGH-(?=\d)/gi, replaceHyphens],
  // Links to other sites, and to issues by their full URL
  [/:\/\/(?=\S)/g, addSpace],
  [/\bwww\.(?=\S)/gi, addSpace],
  // @name, @org/team, name@host
  [/@(?=\S)/g, addSpace],
  // #1, owner/repository#1, !1
  [/[#!](?=\d)/g, addSpace],
  // "ABC-12 #done" is a command to Jira
  [/(?<![\w/])#(?=[a-z])/gi, addSpace],
]

const lineStartRules: readonly Rule[] = [
  // Signed-off-by:, Co-authored-by:, Change-Id:, skip-checks:
  [/^ *[a-z0-9]+(?:-[a-z0-9]+)+(?= *:)/gim, replaceHyphens],
  // Ends the commit message for tools that read patches
  [/^---(?=\s|$)/gm, () => '----'],
  // GitLab quick actions and the commands of many bots; not /docs/page.md
  [/^ *\/(?=[a-z_]+(?![\w/.-]))/gim, addSpace],
]
