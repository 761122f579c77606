/** What is wrong with a page, by check. */
import { type Page, readPage } from './read-page.ts'
import { resolveLink } from './resolve-link.ts'
import { sameAnchor } from './slugs.ts'
import type { Tree } from './trees.ts'

export const checkNames = ['MDX compiles', 'Front matter is YAML', 'Links lead somewhere'] as const
export type CheckName = (typeof checkNames)[number]

export interface Finding {
  check: CheckName
  /** Without its line: the same problem in two versions of a page reads the same. */
  text: string
  line: number | undefined
}

export class PageReader {
  readonly #tree: Tree
  readonly #pages = new Map<string, Promise<Page> | undefined>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  page(path: string): Promise<Page> | undefined {
    if (!this.#pages.has(path)) {
      const text = this.#tree.read(path)
      this.#pages.set(path, text === undefined ? undefined : readPage(path, text))
    }
    return this.#pages.get(path)
  }

  async findings(path: string): Promise<Finding[]> {
    const page = await this.page(path)
    if (!page) return []
    const found: Finding[] = []
    if (page.frontMatter !== undefined)
      found.push({ check: 'Front matter is YAML', text: `front matter: ${page.frontMatter}`, line: undefined })
    if (page.compiles !== undefined) {
      const [, line, reason] = /^line (\d+): (.*)$/s.exec(page.compiles) ?? [undefined, undefined, page.compiles]
      found.push({ check: 'MDX compiles', text: reason ?? '', line: line === undefined ? undefined : Number(line) })
    }
    for (const { target, line } of page.links) {
      const problem = await this.#linkProblem(path, target)
      if (problem !== undefined) found.push({ check: 'Links lead somewhere', text: problem, line })
    }
    return found
  }

  async #linkProblem(path: string, target: string): Promise<string | undefined> {
    const resolved = resolveLink(path, target, (file) => this.#tree.has(file))
    if (!resolved) return undefined
    const shown = target.slice(0, 300)
    if (resolved.file === undefined) return `the link to \`${shown}\` leads nowhere`
    if (resolved.anchor === undefined || !/\.mdx?$/.test(resolved.file)) return undefined
    const anchors = (await this.page(resolved.file))?.anchors
    if (!anchors || anchors.has(resolved.anchor)) return undefined
    const alike = sameAnchor(resolved.anchor)
    if ([...anchors].some((anchor) => sameAnchor(anchor) === alike)) return undefined
    return `the link to \`${shown}\` leads to no heading of \`${resolved.file}\``
  }
}

/** What the turn brought in: a problem that a page had before is somebody else's. */
export async function newFindings(path: string, before: PageReader, now: PageReader): Promise<Finding[]> {
  const old = new Set((await before.findings(path)).map(({ check, text }) => `${check} ${text}`))
  return (await now.findings(path)).filter(({ check, text }) => !old.has(`${check} ${text}`))
}
