/** The docs checks of a page, and their results. */

import type { FileTree } from './file-tree.ts'
import { type ParsedPage, parsePage } from './parse-page.ts'
import { resolveLink } from './resolve-link.ts'

export const checkNames = ['MDX syntax', 'Front matter', 'Internal links'] as const
export type CheckName = (typeof checkNames)[number]

export interface Finding {
  check: CheckName
  /** Does not contain the line, so that the same problem in two versions of a page has the same text. */
  text: string
  line: number | undefined
}

export interface CheckResult {
  name: CheckName
  /** `passed` and `failed` require that at least one changed page could be checked. */
  status: 'passed' | 'failed' | 'not_checked'
  findings: string[]
  /** Names the changed pages that could not be checked, if others could. */
  note?: string
}

const maxCheckedPages = 500
const maxListedPages = 10

export class PageChecker {
  readonly #tree: FileTree
  readonly #pages = new Map<string, Promise<ParsedPage> | undefined>()

  constructor(tree: FileTree) {
    this.#tree = tree
  }

  readPage(path: string): Promise<ParsedPage> | undefined {
    if (!this.#pages.has(path)) {
      const text = this.#tree.read(path)
      this.#pages.set(path, text === undefined ? undefined : parsePage(path, text))
    }
    return this.#pages.get(path)
  }

  async findProblems(path: string): Promise<Finding[]> {
    const page = await this.readPage(path)
    if (!page) return []
    const findings: Finding[] = []
    if (page.frontMatterError !== undefined)
      findings.push({ check: 'Front matter', text: `front matter: ${page.frontMatterError}`, line: undefined })
    if (page.mdxError !== undefined) {
      const [, line, reason] = /^line (\d+): (.*)$/s.exec(page.mdxError) ?? [undefined, undefined, page.mdxError]
      findings.push({ check: 'MDX syntax', text: reason ?? '', line: line === undefined ? undefined : Number(line) })
    }
    for (const { target, line } of page.links ?? []) {
      const problem = await this.#linkProblem(path, target)
      if (problem !== undefined) findings.push({ check: 'Internal links', text: problem, line })
    }
    return findings
  }

  async #linkProblem(path: string, target: string): Promise<string | undefined> {
    const resolved = resolveLink(path, target, (file) => this.#tree.has(file))
    if (!resolved) return undefined
    const link = `the link to \`${target.slice(0, 300)}\` is broken`
    if (resolved.file === undefined) return `${link}: there is no such file`
    if (resolved.anchor === undefined || !/\.mdx?$/.test(resolved.file)) return undefined
    const anchors = (await this.readPage(resolved.file))?.anchors
    if (!anchors || anchors.has(resolved.anchor)) return undefined
    const normalized = normalizeAnchor(resolved.anchor)
    if ([...anchors].some((anchor) => normalizeAnchor(anchor) === normalized)) return undefined
    return `${link}: there is no such heading in \`${resolved.file}\``
  }
}

/** Site generators differ in dashes and leading digits: anchors that are equal after this count as the same. */
const normalizeAnchor = (anchor: string): string =>
  anchor
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')

/** Only findings that the turn introduced, not problems that the page had before. */
export async function findIntroducedFindings(path: string, before: PageChecker, now: PageChecker): Promise<Finding[]> {
  const earlier = new Set((await before.findProblems(path)).map(({ check, text }) => `${check} ${text}`))
  return (await now.findProblems(path)).filter(({ check, text }) => !earlier.has(`${check} ${text}`))
}

/** `paths` are the changed pages in any format. Every check understands Markdown and MDX, and no other format. */
export async function checkChangedPages(
  paths: readonly string[],
  before: PageChecker,
  now: PageChecker,
): Promise<CheckResult[]> {
  const findings = new Map<CheckName, string[]>(checkNames.map((name) => [name, []]))
  const checked: string[] = []
  const notChecked: string[] = []
  const unparsed: string[] = []
  for (const path of paths) {
    const page = /\.mdx?$/.test(path) && checked.length < maxCheckedPages ? await now.readPage(path) : undefined
    if (!page) {
      notChecked.push(path)
      continue
    }
    checked.push(path)
    if (page.links === undefined) unparsed.push(path)
    for (const { check, text, line } of await findIntroducedFindings(path, before, now))
      findings.get(check)?.push(`${path}${line === undefined ? '' : `:${line}`}: ${text}`)
  }
  if (paths.length === 0)
    return checkNames.map((name) => ({ name, status: 'not_checked', findings: ['No pages were changed.'] }))
  return [...findings].map(([name, texts]) => {
    const isUnparsedRelevant = name === 'Internal links' && unparsed.length > 0
    const notes = [
      ...(notChecked.length > 0 ? [describeNotChecked(notChecked)] : []),
      ...(isUnparsedRelevant ? [describeUnparsed(unparsed)] : []),
    ]
    const note = notes.join(' ')
    const isAnyPageChecked = checked.length > (isUnparsedRelevant ? unparsed.length : 0)
    if (!isAnyPageChecked) return { name, status: 'not_checked', findings: [note] }
    return { name, status: texts.length === 0 ? 'passed' : 'failed', findings: texts, ...(note !== '' && { note }) }
  })
}

const describeNotChecked = (paths: readonly string[]): string =>
  `Not checked: ${formatPaths(paths)}. Up to ${maxCheckedPages} .md and .mdx pages of up to 1 MiB are checked.`

const describeUnparsed = (paths: readonly string[]): string =>
  `Not checked: ${formatPaths(paths)}. Links can be checked when the MDX syntax is valid.`

function formatPaths(paths: readonly string[]): string {
  const listed = paths.slice(0, maxListedPages).join(', ')
  return paths.length > maxListedPages ? `${listed} and ${paths.length - maxListedPages} more` : listed
}
