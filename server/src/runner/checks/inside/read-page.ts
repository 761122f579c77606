/** A page as the checks see it. It is parsed and compiled, and never evaluated. */
import { compile } from '@mdx-js/mdx'
import { splitFrontMatter } from './front-matter.ts'
import { slugs } from './slugs.ts'

export interface Page {
  frontMatter: string | undefined
  /** Why it does not compile. Only where it is MDX: any text is Markdown. */
  compiles: string | undefined
  links: readonly Link[]
  /** What a link may point to behind `#`; undefined where the page makes some up while it is rendered. */
  anchors: ReadonlySet<string> | undefined
}

export interface Link {
  target: string
  line: number
}

/** As much of a syntax tree as is looked at. */
interface Node {
  type: string
  children?: Node[]
  value?: string
  url?: string
  depth?: number
  name?: string | null
  attributes?: { type: string; name?: string; value?: unknown }[]
  position?: { start: { line: number } }
}

export async function readPage(path: string, text: string): Promise<Page> {
  const { body, problem } = splitFrontMatter(text)
  const format = path.endsWith('.mdx') ? 'mdx' : 'md'
  let tree: Node | undefined
  const keepTree = () => (root: unknown) => {
    tree = root as Node
  }
  let compiles: string | undefined
  try {
    await compile(format === 'mdx' ? plainMdx(body) : body, { format, remarkPlugins: [keepTree] })
  } catch (error) {
    compiles = reasonOf(error)
  }
  return { frontMatter: problem, compiles, ...(tree ? linksAndAnchors(tree, body) : { links: [], anchors: undefined }) }
}

/** Site generators allow in MDX what MDX itself does not: headings with an id of their own, and HTML comments. */
function plainMdx(text: string): string {
  const blank = (match: string) => match.replaceAll(/[^\n]/g, ' ')
  return text
    .replaceAll(/^(#{1,6} .*)(\{#[\w-]+\})[^\S\n]*$/gm, (_, heading, id) => heading + blank(id))
    .replaceAll(/<!--.*?-->/gs, blank)
}

function linksAndAnchors(tree: Node, body: string): Pick<Page, 'links' | 'anchors'> {
  const links: Link[] = []
  const headings: string[] = []
  const ids = new Set<string>()
  const definitions = [
    ...body.matchAll(/\{#([\w-]+)\}[^\S\n]*$/gm),
    ...body.matchAll(/\s(?:id|name)=["']([^"']+)["']/g),
  ]
  for (const [, id] of definitions) ids.add(id ?? '')
  let madeUp = false
  visit(tree, (node) => {
    if (node.type === 'heading') {
      const text = textOf(node)
      headings.push(text.replace(/\s*\{#[\w-]+\}\s*$/, ''))
      if (text.includes('\0')) madeUp = true
    }
    // A component may render headings, and may take them from another file.
    if (/^mdxJsx/.test(node.type) && /^[A-Z]/.test(node.name ?? '')) madeUp = true
    const line = node.position?.start.line ?? 1
    if ((node.type === 'link' || node.type === 'image' || node.type === 'definition') && node.url !== undefined)
      links.push({ target: node.url, line })
    for (const { name, value } of node.attributes ?? [])
      if ((name === 'href' || name === 'src') && typeof value === 'string') links.push({ target: value, line })
  })
  return { links, anchors: madeUp ? undefined : new Set([...ids, ...slugs(headings)]) }
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const child of node.children ?? []) visit(child, see)
}

/** An expression stands as `\0`: nobody knows what it becomes. */
function textOf({ type, value, children = [] }: Node): string {
  if (type === 'mdxTextExpression') return '\0'
  return (value ?? '') + children.map(textOf).join('')
}

/** Without the places in it: the same problem further down is the same problem. */
function reasonOf(error: unknown): string {
  const { reason, line } = error as { reason?: string; line?: number }
  const text = (reason ?? String(error)).split('\n')[0] ?? ''
  const place = line ?? / \((\d+):\d+-\d+:\d+\)/.exec(text)?.[1]
  const words = text.replaceAll(/ \(\d+:\d+(?:-\d+:\d+)?\)/g, '')
  return place === undefined ? words : `line ${place}: ${words}`
}
