/** npm run asvs: writes docs/asvs.md from checks/asvs/requirements.ts. */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import levels from './asvs/levels.json' with { type: 'json' }
import type { Chapter, Evidence, Requirement } from './asvs/requirement.ts'
import { chapters } from './asvs/requirements.ts'
import { formatTable } from './markdown-table.ts'

export const asvsFile = join(import.meta.dirname, '../docs/asvs.md')

/** The level of each requirement up to level 2. */
export const levelOf: Readonly<Record<string, number>> = levels

const statuses = ['met', 'not applicable', 'open'] as const

export function formatDocument(): string {
  return `# OWASP ASVS 5.0, level 2

The [OWASP Application Security Verification Standard](https://github.com/OWASP/ASVS/tree/v5.0.0) 5.0.0 lists requirements for the
security of web applications. This page says for each requirement of levels 1 and 2 whether Colophon meets it, and what shows that. The
standard is by the OWASP Foundation, under [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/). The subjects are in our own
words: read the requirement in the standard. Nobody outside of the project has verified this.

\`npm run asvs\` writes this page from \`checks/asvs/requirements.ts\`. A test verifies that no requirement is missing and that every linked
file has the test or text that the page names.

${formatTable(['chapter', ...statuses], [...chapters.map(countChapter), countAll()])}

## Open

${formatList('open', ({ missing }) => missing)}

## What an operator has to set

Some requirements depend on how an instance is run. They are met with these settings:

${formatNeeds()}

${chapters.map(formatChapter).join('\n\n')}
`
}

const listAll = () => chapters.flatMap(({ requirements }) => Object.entries(requirements))

const countIn = (requirements: readonly Requirement[]): string[] =>
  statuses.map((status) => String(requirements.filter((each) => each.status === status).length))

const countChapter = ({ number, title, requirements }: Chapter): string[] => [
  `V${number} ${title}`,
  ...countIn(Object.values(requirements)),
]

const countAll = (): string[] => [
  '**all**',
  ...countIn(listAll().map(([, requirement]) => requirement)).map((count) => `**${count}**`),
]

function formatList<Status extends Requirement['status']>(
  status: Status,
  describe: (requirement: Extract<Requirement, { status: Status }>) => string,
): string {
  const isListed = (each: Requirement): each is Extract<Requirement, { status: Status }> => each.status === status
  const lines = listAll().flatMap(([id, each]) =>
    isListed(each) ? [`- **${id} ${each.subject}.** ${describe(each)}`] : [],
  )
  return lines.join('\n') || 'None.'
}

function formatNeeds(): string {
  const idsByNeed = new Map<string, string[]>()
  for (const [id, requirement] of listAll())
    if (requirement.status === 'met' && requirement.needs)
      idsByNeed.set(requirement.needs, [...(idsByNeed.get(requirement.needs) ?? []), id])
  return [...idsByNeed].map(([need, ids]) => `- ${need}: ${ids.join(', ')}`).join('\n')
}

function formatChapter({ number, title, requirements }: Chapter): string {
  const rows = Object.entries(requirements).map(([id, requirement]) => [
    id,
    String(levelOf[id]),
    requirement.subject,
    requirement.status === 'open' ? '**open**' : requirement.status,
    explain(requirement),
  ])
  return `## V${number} ${title}\n\n${formatTable(['ID', 'level', 'subject', 'status', 'how, or why not'], rows)}`
}

function explain(requirement: Requirement): string {
  if (requirement.status === 'open') return requirement.missing
  if (requirement.status === 'not applicable') return requirement.reason
  const needs = requirement.needs === undefined ? '' : ` Needs ${requirement.needs}.`
  return `${requirement.how}${needs} ${requirement.evidence.map(formatEvidence).join('; ')}`
}

function formatEvidence({ kind, file, text }: Evidence): string {
  const link = `[${kind === 'proof' ? `proof ${basename(file, '.ts')}` : basename(file)}](../${file})`
  const name = text.replaceAll('|', '\\|').replaceAll('__', '\\_\\_')
  return kind === 'test' ? `${link}: “${name}”` : link
}

if (import.meta.main) writeFileSync(asvsFile, formatDocument())
