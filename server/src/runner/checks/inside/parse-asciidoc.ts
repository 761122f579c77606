/** Parses AsciiDoc with Asciidoctor. In its secure mode it includes no files. */
import { LoggerManager, load, MemoryLogger } from '@asciidoctor/core'
import { splitFrontMatter } from './front-matter.ts'
import { type Link, lineAt, type ParsedPage, type SyntaxProblem } from './parsed-page.ts'

export async function parseAsciidoc(_path: string, text: string): Promise<ParsedPage> {
  const { body, problem } = splitFrontMatter(text)
  const logger = MemoryLogger.create()
  LoggerManager.setLogger(logger)
  const document = await load(body, { safe: 'secure', sourcemap: true })
  const errors = logger.getMessages().map(
    (message): SyntaxProblem => ({
      text: message.getText(),
      line: message.getSourceLocation()?.getLineNumber(),
    }),
  )
  // What is included may define further anchors.
  const anchors = /^include::/m.test(body) ? undefined : new Set(Object.keys(document.getRefs()))
  return { frontMatterError: problem, syntax: { kind: 'checked', errors }, links: findLinks(body), anchors }
}

const verbatimBlock = /^(-{4,}|\.{4,}|\+{4,}|\/{4,}|```.*)\n[\s\S]*?^(?:\1|```)[^\S\n]*$/gm

function findLinks(body: string): Link[] {
  const text = body.replaceAll(verbatimBlock, (block) => block.replaceAll(/[^\n]/g, ''))
  const find = (pattern: RegExp, rule: Link['rule']) =>
    [...text.matchAll(pattern)].map(
      (match): Link => ({ target: (match[1] ?? '').trim(), line: lineAt(text, match.index), rule }),
    )
  return [
    ...find(/\bxref:([^\s[\]]+)\[/g, 'asciidoc-page'),
    ...find(/<<([^\s<>,]+\.adoc(?:#[^<>,]*)?)(?:,[^<>]*)?>>/g, 'asciidoc-page'),
    ...find(/<<(#?[\w-]+)(?:,[^<>]*)?>>/g, 'asciidoc-page').map((link) => ({
      ...link,
      target: `#${link.target.replace(/^#/, '')}`,
    })),
    ...find(/\bimage::?([^\s:[\]][^\s[\]]*)\[/g, 'asciidoc-image'),
  ]
}
