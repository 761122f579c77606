/** AsciiDoc: inclusions, passthroughs and attributes that change how the page is processed. */
import { type ActiveItem, findItems } from '../active-content.ts'
import { type IncludeScope, isAmongPages } from './templates.ts'

/** Files of an Antora component, by its own resource IDs: `partial$x.adoc`, `example$code.rb`, `ROOT:partial$x.adoc`. */
const antoraResource = /^(?:[\w.-]*@)?(?:[\w.-]*:){0,2}(?:partial|example|page)\$[\w./-]+$/

/** Attributes that switch off safety, load scripts and styles, or insert files into the page. */
const activeAttribute =
  /^!?(?:safe|safe-mode-.*|allow-uri-read|docinfo.*|linkcss|copycss|stylesheet|stylesdir|scriptsdir|jsdir|iconsdir|source-highlighter|highlightjs.*|rouge-.*|webfonts|data-uri|max-include-depth|backend|outfilesuffix|stem|asciimath|kroki-.*|plantuml.*|diagram-.*|mathjax.*|requires|extensions?|page-component-.*|page-layout)!?$/i

export const findAsciidocContent = (text: string, scope: IncludeScope): ActiveItem[] => [
  ...findItems(text, /(?:^|\[)\\?include::([^[\n]*)\[[^\n]*$/gm, ([match, target = '']) => {
    if (match.startsWith('\\') || antoraResource.test(target) || isAmongPages(target, scope)) return undefined
    return { kind: 'include', text: match }
  }),
  ...findItems(text, /^ifeval::\[.*$/gm, ([match]) => ({ kind: 'directive', text: match })),
  ...findItems(text, /^:([\w!-][\w-]*!?):(?:[^\S\n]+(.*))?$/gm, ([match, name = '', value = '']) => {
    if (name === 'stem' && /^(?:latexmath|asciimath)?\s*$/.test(value)) return undefined // formulas
    if (activeAttribute.test(name) || /script|data:|</i.test(value)) return { kind: 'directive', text: match }
    return undefined
  }),
  // HTML in passthroughs reaches the page as it is, so the whole passthrough is compared.
  ...findItems(text, /^\+{4,}[^\S\n]*\n[\s\S]*?(?:^\+{4,}[^\S\n]*$|$(?![\s\S]))/gm, ([match]) => passthrough(match)),
  ...findItems(text, /\+{3}[\s\S]*?\+{3}/g, ([match]) => passthrough(match)),
  ...findItems(text, /pass:[\w,-]*\[[\s\S]*?(?<!\\)\]/g, ([match]) => passthrough(match)),
  // Styles and substitutions decide whether HTML in a block is text. They may be written in many ways.
  ...findItems(text, /^\[[^\n]*\][^\S\n]*$/gm, ([match]) => {
    const isUsual = /^\[source[^\]]*subs="?\+?(?:attributes|quotes|verbatim|callouts)\+?"?\]$/.test(match)
    const isActive =
      /subs\s*=|^\[\s*["'{]|(?:^\[|[,%.#\s])(?:pass|stem|latexmath|asciimath|plantuml|ditaa|graphviz|mermaid)\b/.test(
        match,
      )
    return isActive && !isUsual ? { kind: 'directive', text: match, vocabularyKey: `block:${match}` } : undefined
  }),
  ...findItems(text, /\[[^\]\n]*(?<![\w-])on[a-z]{3,}\s*=[^\]\n]*/gi, ([match]) => ({
    kind: 'event_handler',
    text: match,
  })),
  ...findItems(text, /\{set:[^}]*\}/g, ([match]) => ({ kind: 'directive', text: match })),
  ...findItems(
    text,
    /(?:stem|latexmath|asciimath):[\w,-]*\[[\s\S]*?(?<!\\)\]|\$\$[\s\S]*?\$\$|(?<!\w)`\+[^`\n]*\+`/g,
    ([match]) => (match.startsWith('`+') ? undefined : passthrough(match)),
  ),
  // The scheme of a link could be put together from attributes.
  ...findItems(text, /(?:link|image|xref|video|audio):{1,2}[^\s[/]*\{[^}\n]*\}[^\s[/]*[:{][^\s[]*/g, ([match]) => ({
    kind: 'script_url',
    text: match,
  })),
  ...findItems(text, /^(?:video|audio|iframe|toc|chart|plantuml|mermaid|ditaa|graphviz|kroki)::[^\n]*$/gm, ([match]) =>
    match.startsWith('toc::')
      ? undefined
      : { kind: 'directive', text: match, vocabularyKey: `block:${match.split('::')[0]}` },
  ),
]

const passthrough = (text: string): Omit<ActiveItem, 'line'> | undefined =>
  /[<&]/.test(text) ? { kind: 'html_element', text } : undefined
