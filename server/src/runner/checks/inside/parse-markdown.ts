/** Parses Markdown and MDX. MDX is compiled, but never executed. */
import { compile } from '@mdx-js/mdx'
import GithubSlugger from 'github-slugger'
import { toStandardMdx } from '../../../content-gate/formats/mdx.ts'
import { splitFrontMatter } from './front-matter.ts'
import { type Link, lineAt, type ParsedPage, type SyntaxProblem } from './parsed-page.ts'

/** The parts of a syntax tree node that are used here. */
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

export async function parseMarkdown(path: string, text: string): Promise<ParsedPage> {
  const { body, problem } = splitFrontMatter(text)
  const format = path.endsWith('.mdx') ? 'mdx' : 'md'
  let tree: Node | undefined
  const captureTree = () => (root: unknown) => {
    tree = root as Node
  }
  const errors: SyntaxProblem[] = [] // any text is valid Markdown
  try {
    await compile(format === 'mdx' ? toStandardMdx(body).text : body, { format, remarkPlugins: [captureTree] })
  } catch (error) {
    errors.push(describeError(error))
  }
  return {
    frontMatterError: problem,
    syntax: { kind: 'checked', errors },
    ...(tree ? findLinksAndAnchors(tree, body) : { links: undefined, anchors: undefined }),
  }
}

function findLinksAndAnchors(tree: Node, body: string): Pick<ParsedPage, 'links' | 'anchors'> {
  const links: Link[] = []
  const slugger = new GithubSlugger() // most site generators create the same anchors as GitHub
  const anchors = new Set<string>()
  const definitions = [
    ...body.matchAll(/\{#([\w-]+)\}[^\S\n]*$/gm),
    ...body.matchAll(/\s(?:id|name)=["']([^"']+)["']/g),
  ]
  for (const [, id] of definitions) anchors.add(id ?? '')
  let hasGeneratedAnchors = false
  visit(tree, (node) => {
    if (node.type === 'heading') {
      const text = textOf(node)
      anchors.add(slugger.slug(text.replace(/\s*\{#[\w-]+\}\s*$/, '')))
      if (text.includes('\0')) hasGeneratedAnchors = true
    }
    // A component may render headings, possibly from another file.
    if (/^mdxJsx/.test(node.type) && /^[A-Z]/.test(node.name ?? '')) hasGeneratedAnchors = true
    const line = node.position?.start.line ?? 1
    if ((node.type === 'link' || node.type === 'image' || node.type === 'definition') && node.url !== undefined)
      links.push({ target: node.url, line, rule: 'url' })
    for (const { name, value } of node.attributes ?? [])
      if ((name === 'href' || name === 'src') && typeof value === 'string')
        links.push({ target: value, line, rule: 'url' })
  })
  return { links: [...links, ...findTemplateLinks(body)], anchors: hasGeneratedAnchors ? undefined : anchors }
}

function visit(node: Node, onNode: (node: Node) => void): void {
  onNode(node)
  for (const child of node.children ?? []) visit(child, onNode)
}

/** An expression becomes `\0`, because its value is not known. */
function textOf({ type, value, children = [] }: Node): string {
  if (type === 'mdxTextExpression') return '\0'
  return (value ?? '') + children.map(textOf).join('')
}

/** Links of Jekyll and Hugo, which Markdown takes for text because they contain spaces. */
function findTemplateLinks(body: string): Link[] {
  const find = (pattern: RegExp, rule: Link['rule']) =>
    [...body.matchAll(pattern)].map(
      (match): Link => ({ target: match[1] ?? '', line: lineAt(body, match.index), rule }),
    )
  return [
    ...find(/\{%-?\s*link\s+([^\s%{}]+)\s*-?%\}/g, 'jekyll-file'),
    ...find(/\{\{[<%]\s*(?:rel)?ref\s+"([^"]+)"\s*[>%]\}\}/g, 'hugo-page'),
  ]
}

/** Removes positions from the message, so that the same problem on another line has the same text. */
function describeError(error: unknown): SyntaxProblem {
  const { reason, line } = error as { reason?: string; line?: number }
  const text = (reason ?? String(error)).split('\n')[0] ?? ''
  const errorLine = line ?? / \((\d+):\d+-\d+:\d+\)/.exec(text)?.[1]
  return {
    text: text.replaceAll(/ \(\d+:\d+(?:-\d+:\d+)?\)/g, ''),
    line: errorLine === undefined ? undefined : Number(errorLine),
  }
}
