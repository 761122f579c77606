/** MDX: everything that is compiled to JavaScript. */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { mdxFromMarkdown } from 'mdast-util-mdx'
import { mdxjs } from 'micromark-extension-mdxjs'
import { joinPath } from '../../site-generators/site-paths.ts'
import { type ActiveItem, findItems, toItemText } from '../active-content.ts'
import { isInTable, maskCodeNodes } from '../mask-code.ts'
import { findScriptUrls } from '../scan-urls.ts'
import { isTextElement } from './vue.ts'

interface MdxNode {
  type: string
  children?: MdxNode[]
  value?: string
  meta?: string | null
  name?: string | null
  attributes?: MdxAttribute[]
  data?: { estree?: EstreeNode | null }
  position?: { start: { line: number; offset?: number }; end: { offset?: number } }
}
interface MdxAttribute {
  type: string
  name?: string
  value?: string | null | { value: string; data?: { estree?: EstreeNode | null } }
}
interface EstreeNode {
  type: string
  [key: string]: unknown
}

/** Attributes whose value is HTML, a document or code, also as a literal. */
const activeAttribute =
  /^(?:on[a-z].*|dangerouslysetinnerhtml|srcdoc|formaction|xlink:?href|innerhtml|set:\w+|client:\w+|is:\w+|define:\w+|is|ref)$/i

export interface MdxContent {
  items: ActiveItem[]
  /** The page without code. Code that is indented does not exist in MDX. */
  textWithoutCode: string
}

/** Undefined: the page is not valid MDX. */
export function findMdxContent(body: string, pageFolder: string): MdxContent | undefined {
  const asWritten = inspectMdxText(body, pageFolder)
  const unwrapped = unwrapCodeBlocks(body)
  if (unwrapped === body || !asWritten) return asWritten
  const compiled = inspectMdxText(unwrapped, pageFolder)
  return compiled && { ...compiled, items: [...asWritten.items, ...compiled.items] }
}

function inspectMdxText(page: string, pageFolder: string): MdxContent | undefined {
  const root = parseMdx(page)
  if (root) return collectContent(page, root, pageFolder)
  const { text, comments } = toStandardMdx(page)
  const standardRoot = parseMdx(text)
  if (!standardRoot) return undefined
  const { items, textWithoutCode } = collectContent(text, standardRoot, pageFolder)
  return { items: [...items, ...comments], textWithoutCode }
}

function parseMdx(text: string): MdxNode | undefined {
  try {
    return fromMarkdown(text, { extensions: [mdxjs()], mdastExtensions: [mdxFromMarkdown()] }) as MdxNode
  } catch {
    return undefined
  }
}

function collectContent(text: string, root: MdxNode, pageFolder: string): MdxContent {
  const items: ActiveItem[] = []
  visit(root, text, '', (node, paragraph) => items.push(...findInNode(node, pageFolder, paragraph)))
  return { items, textWithoutCode: maskCodeNodes(text, root) }
}

/** Docusaurus compiles what is in a code block of the language `mdx-code-block`. */
const unwrapCodeBlocks = (text: string): string =>
  text.replaceAll(/^([ \t]*)(`{3,4})[ \t]*mdx-code-block[^\n]*\n([\s\S]*?)\n[ \t]*\2/gm, '\n$3\n')

/**
 * Blanks what generators allow in MDX but MDX itself does not: heading IDs, HTML comments, and `<https://…>`. A comment that could
 * hide something counts as active: whether it is a comment depends on the text around it.
 */
export function toStandardMdx(text: string): { text: string; comments: ActiveItem[] } {
  const blank = (match: string) => match.replaceAll(/[^\n]/g, ' ')
  const comments = findItems(text, /<!--[\s\S]*?-->/g, ([comment]) =>
    /[{}`~]|\*\/|<(?!!--)|^\s*(?:import|export)\b/m.test(comment.slice(4))
      ? { kind: 'expression', text: comment }
      : undefined,
  )
  const standard = text
    .replaceAll(/^(#{1,6} .*?)(\{#[\w-]+\})[^\S\n]*$/gm, (_, heading, id) => heading + blank(id))
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/<(?:https?:\/\/|mailto:)[^\s<>{}"`~]*>/g, blank)
  return { text: standard, comments }
}

function findInNode(node: MdxNode, pageFolder: string, paragraph: string): ActiveItem[] {
  const line = node.position?.start.line ?? 1
  const text = toItemText(node.value ?? '')
  switch (node.type) {
    case 'mdxjsEsm':
      return findInModule(node, line, pageFolder)
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      return isLiteralProgram(node.data?.estree) ? [] : [expressionItem(`{${text}}`, line, node.data?.estree)]
    case 'code': // the live editor of Docusaurus executes the code in the browser
      return /(?:^|\s)live\b/.test(node.meta ?? '') ? [{ kind: 'code_cell', text: `live code: ${text}`, line }] : []
    case 'inlineCode': // in a table, a cell ends at a bar in code
      return isInTable(node.value ?? '', paragraph) && /[{<]/.test(node.value ?? '')
        ? [{ kind: 'expression', text: `\`${text}\``, line }]
        : []
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      return findInElement(node, line)
    default:
      return []
  }
}

/** Each statement on its own: an import of a neighboring page is allowed if it is alone, or together with others. */
function findInModule(node: MdxNode, line: number, pageFolder: string): ActiveItem[] {
  const statements = (node.data?.estree?.body ?? []) as (EstreeNode & { start: number; end: number })[]
  const offset = statements[0]?.start ?? 0
  const value = node.value ?? ''
  return statements.map((statement): ActiveItem => {
    const text = value.slice(statement.start - offset, statement.end - offset)
    const itemText = toItemText(text === '' ? value : text)
    if (statement.type !== 'ImportDeclaration') return { kind: 'export', text: itemText, line }
    return { kind: 'import', text: itemText, line, vocabularyKey: importKey(statement, pageFolder) }
  })
}

/** What is imported under which name, and from where. A relative path is resolved, because it means another file elsewhere. */
function importKey(statement: EstreeNode, pageFolder: string): string {
  const source = String((statement.source as { value?: unknown }).value)
  const resolved = source.startsWith('.') ? `/${joinPath(pageFolder, source) ?? source}` : source
  const names = (statement.specifiers as EstreeNode[]).map((specifier) => {
    const imported = specifier.imported as { name?: string; value?: string } | undefined
    const local = (specifier.local as { name: string }).name
    return `${specifier.type} ${imported?.name ?? imported?.value ?? ''} ${local}`
  })
  return `import:${resolved} ${names.toSorted().join(', ')}`
}

/** Everything in a node but its position. */
const describe = (node: MdxNode): unknown => [
  node.value,
  node.attributes?.map(({ name, value }) => [name, typeof value === 'object' ? value?.value : value]),
  node.children?.map(describe),
]

function findInElement(node: MdxNode, line: number): ActiveItem[] {
  const name = node.name ?? ''
  const items: ActiveItem[] = []
  const isHtml = /^[a-z][a-z0-9]*$/.test(name)
  if (name !== '' && !(isHtml && isTextElement(name))) {
    const isHtmlElement = isHtml && !isTextElement(name)
    // With attributes and contents: another source is another script.
    if (isHtmlElement)
      items.push({ kind: 'html_element', text: toItemText(`<${name}> ${JSON.stringify(describe(node))}`), line })
    else items.push({ kind: 'component', text: `<${name}>`, line, vocabularyKey: `component:${name}` })
  }
  for (const { type, name: attribute = '', value } of node.attributes ?? []) {
    const source = typeof value === 'object' && value !== null ? `{${value.value}}` : JSON.stringify(value ?? '')
    const text = toItemText(`<${name} ${attribute}=${source}>`)
    const isLiteral =
      type === 'mdxJsxAttribute' &&
      (typeof value !== 'object' || value === null || isLiteralProgram(value.data?.estree))
    const literal = typeof value === 'object' && value !== null ? literalText(value.data?.estree) : (value ?? '')
    items.push(...findScriptUrls(`"${literal}"`).map((item) => ({ ...item, line })))
    if (activeAttribute.test(attribute)) items.push({ kind: 'attribute', text, line })
    else if (!isLiteral) {
      const estree = type === 'mdxJsxAttribute' && typeof value === 'object' ? value?.data?.estree : undefined
      items.push({ ...expressionItem(text, line, estree), kind: 'attribute' })
    }
  }
  return items
}

/** The strings of a literal, as they are after escapes are resolved. */
function literalText(program: EstreeNode | null | undefined): string {
  const strings: string[] = []
  JSON.stringify(program ?? null, (key, value: unknown) => {
    if ((key === 'value' || key === 'cooked') && typeof value === 'string') strings.push(value)
    return typeof value === 'bigint' ? undefined : value
  })
  return strings.join('" "')
}

/** A name, or a property of one, may be used like on another page: what it means is imported, and imports are checked. */
function expressionItem(text: string, line: number, program: EstreeNode | null | undefined): ActiveItem {
  const [statement, ...others] = (program?.body ?? []) as EstreeNode[]
  const isName = others.length === 0 && statement?.type === 'ExpressionStatement' && isPlainName(statement.expression)
  return { kind: 'expression', text, line, ...(isName && { vocabularyKey: `expression:${text}` }) }
}

function isPlainName(node: unknown): boolean {
  const { type, object, property, computed, optional } = node as EstreeNode
  if (type === 'Identifier') return true
  return type === 'MemberExpression' && !computed && !optional && isPlainName(property) && isPlainName(object)
}

/** Nothing, comments, or one literal. */
function isLiteralProgram(program: EstreeNode | null | undefined): boolean {
  if (!program) return false
  const body = program.body as EstreeNode[]
  return body.every(({ type, expression }) => type === 'ExpressionStatement' && isLiteral(expression as EstreeNode))
}

function isLiteral(node: EstreeNode): boolean {
  switch (node.type) {
    case 'Literal':
      return node.regex === undefined
    case 'TemplateLiteral':
      return (node.expressions as EstreeNode[]).length === 0
    case 'UnaryExpression':
      return node.operator === '-' && isLiteral(node.argument as EstreeNode)
    case 'ArrayExpression':
      return (node.elements as (EstreeNode | null)[]).every((element) => element !== null && isLiteral(element))
    case 'ObjectExpression':
      return (node.properties as EstreeNode[]).every(isLiteralProperty)
    default:
      return false
  }
}

function isLiteralProperty(node: EstreeNode): boolean {
  if (node.type !== 'Property' || node.kind !== 'init') return false
  if (node.method === true || node.shorthand === true || node.computed === true) return false
  const key = node.key as { name?: string; value?: unknown }
  const name = key.name ?? String(key.value)
  return name !== '__proto__' && name !== '__html' && isLiteral(node.value as EstreeNode)
}

/** `paragraph` is the source of the paragraph that a node is in. */
function visit(
  node: MdxNode,
  source: string,
  paragraph: string,
  onNode: (node: MdxNode, paragraph: string) => void,
): void {
  const { start, end } = node.position ?? {}
  const inner = node.type === 'paragraph' ? source.slice(start?.offset, end?.offset) : paragraph
  onNode(node, inner)
  for (const child of node.children ?? []) visit(child, source, inner, onNode)
}
