/** The docs checks of a page, and their results. */

import type { Site } from '../../../site-generators/site-generator.ts'
import type { FileTree } from './file-tree.ts'
import { findPageParser } from './parse-page.ts'
import type { Link, ParsedPage } from './parsed-page.ts'
import { resolveLink } from './resolve-link.ts'
import { SiteUrls } from './site-urls.ts'

export const checkNames = ['Page syntax', 'Front matter', 'Internal links'] as const
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
  readonly #urls: SiteUrls
  readonly #pages = new Map<string, Promise<ParsedPage> | undefined>()

  constructor(tree: FileTree, site: Site) {
    this.#tree = tree
    this.#urls = new SiteUrls(site, tree)
  }

  /** Undefined: the page does not exist, is too long, or has another format. */
  readPage(path: string): Promise<ParsedPage> | undefined {
    if (!this.#pages.has(path)) {
      const parse = findPageParser(path)
      const text = parse && this.#tree.read(path)
      this.#pages.set(path, text === undefined ? undefined : Promise.resolve(parse?.(path, text) as ParsedPage))
    }
    return this.#pages.get(path)
  }

  async findProblems(path: string): Promise<Finding[]> {
    const page = await this.readPage(path)
    if (!page) return []
    const findings: Finding[] = []
    if (page.frontMatterError !== undefined)
      findings.push({ check: 'Front matter', text: `front matter: ${page.frontMatterError}`, line: undefined })
    if (page.syntax.kind === 'checked')
      for (const { text, line } of page.syntax.errors) findings.push({ check: 'Page syntax', text, line })
    for (const link of page.links ?? []) {
      const problem = await this.#linkProblem(path, link)
      if (problem !== undefined) findings.push({ check: 'Internal links', text: problem, line: link.line })
    }
    return findings
  }

  async #linkProblem(path: string, link: Link): Promise<string | undefined> {
    const resolved = resolveLink(path, link, this.#tree, this.#urls)
    if (!resolved) return undefined
    const problem = `the link to \`${link.target.slice(0, 300)}\` is broken`
    if (resolved.file === undefined) return `${problem}: there is no such file or page`
    if (resolved.anchor === undefined) return undefined
    const anchors = (await this.readPage(resolved.file))?.anchors
    if (!anchors || anchors.has(resolved.anchor)) return undefined
    const normalized = normalizeAnchor(resolved.anchor)
    if ([...anchors].some((anchor) => normalizeAnchor(anchor) === normalized)) return undefined
    return `${problem}: there is no such heading in \`${resolved.file}\``
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

/** `paths` are the changed pages in any format. */
export async function checkChangedPages(
  paths: readonly string[],
  before: PageChecker,
  now: PageChecker,
): Promise<CheckResult[]> {
  const results = checkNames.map((name) => ({ name, isAnyPageChecked: false, findings: [] as string[] }))
  /** By check and reason. */
  const notChecked = new Map<string, string[]>()
  const skip = (name: CheckName, reason: string, path: string) => {
    const key = `${name}\0${reason}`
    notChecked.set(key, [...(notChecked.get(key) ?? []), path])
  }
  for (const [index, path] of paths.entries()) {
    const page = index < maxCheckedPages ? await now.readPage(path) : undefined
    const found = page ? await findIntroducedFindings(path, before, now) : []
    for (const result of results) {
      const reason = whyNotChecked(result.name, page)
      if (reason === undefined) result.isAnyPageChecked = true
      else skip(result.name, reason, path)
      for (const { check, text, line } of found)
        if (check === result.name) result.findings.push(`${path}${line === undefined ? '' : `:${line}`}: ${text}`)
    }
  }
  return results.map(({ name, isAnyPageChecked, findings }): CheckResult => {
    if (paths.length === 0) return { name, status: 'not_checked', findings: ['No pages were changed.'] }
    const notes = [...notChecked]
      .map(([key, skipped]) => ({ key: key.split('\0'), skipped }))
      .filter(({ key }) => key[0] === name)
      .map(({ key, skipped }) => `Not checked: ${formatPaths(skipped)}. ${key[1]}`)
    const note = notes.join(' ')
    if (!isAnyPageChecked && findings.length === 0) return { name, status: 'not_checked', findings: [note] }
    const status = findings.length === 0 ? 'passed' : 'failed'
    return note === '' ? { name, status, findings } : { name, status, findings, note }
  })
}

/** A whole sentence. Undefined: the page is checked. */
function whyNotChecked(check: CheckName, page: ParsedPage | undefined): string | undefined {
  if (!page) return `Up to ${maxCheckedPages} pages of up to 1 MiB are checked.`
  if (check === 'Page syntax' && page.syntax.kind === 'not_checked') return page.syntax.reason
  if (check === 'Internal links' && page.links === undefined)
    return 'Links can be checked when the syntax of the page is valid.'
  return undefined
}

function formatPaths(paths: readonly string[]): string {
  const listed = paths.slice(0, maxListedPages).join(', ')
  return paths.length > maxListedPages ? `${listed} and ${paths.length - maxListedPages} more` : listed
}
