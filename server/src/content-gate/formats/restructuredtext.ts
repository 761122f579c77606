/** reStructuredText and MyST: directives, roles and inclusions. Their names depend on the site, so unusual ones must be in use already. */
import { type ActiveItem, findItems, toItemText } from '../active-content.ts'
import { findBraces, type IncludeScope, isAmongPages } from './templates.ts'

/** Directives of docutils, Sphinx and widespread themes that only structure text. */
const inertDirectives = new Set(
  `admonition attention caution danger error hint important note tip warning seealso deprecated versionadded versionchanged versionremoved
  todo topic sidebar rubric epigraph highlights pull-quote compound container parsed-literal line-block math code code-block sourcecode
  highlight image figure table list-table csv-table contents sectnum toctree index glossary centered hlist productionlist target-notes
  meta replace unicode date class title tabularcolumns dropdown card grid grid-item grid-item-card tab-set tab-item tabs tab group-tab
  code-tab button-link button-ref option program envvar confval describe object option function py:function py:class py:method
  py:attribute py:module py:data py:exception py:currentmodule c:function cpp:function js:function rst:directive rst:role
  currentmodule module class method attribute data exception decorator default-domain default-role exercise solution
  margin list-table field-list mermaid details highlight-code`.split(/\s+/),
)
/** What they do depends on their arguments: they read files, import modules or insert HTML. Never in the vocabulary. */
const activeDirectives =
  /^(?:include|literalinclude|raw|csv-table|auto\w+|automodule|jupyter-execute|code-cell|eval-rst|exec\w*|program-output|command-output|plot|graphviz|digraph|ipython|doctest|testcode|testsetup|testcleanup|only|ifconfig|role|sourceinclude|embed\w*|iframe|video|youtube|argparse|click|swagger\w*|openapi|http:\w+|plantuml|uml|runblock|altair-plot|bokeh-plot|pyscript|thebe-button|substitution|default-role)$/

/** They import a module, which executes it. */
const autodocDirective = /^auto(?:module|class|function|method|attribute|data|exception|property|decorator)$/
const hasAutodoc = (page: string): boolean => /\.\.[^\S\n]+auto\w+[^\S\n]*::/.test(page)
/** They name the module that autodoc directives below them import. */
const moduleDirective = /^(?:py:)?(?:current)?module$/

/**
 * A directive by which a build imports a module. It is in use if pages import the same module: the one that is named, or the one that
 * contains what is named. A name without a module is looked up in the current one.
 */
function toAutodocItem({ name, argument, text }: DirectiveUse): Omit<ActiveItem, 'line'> | undefined {
  const directive = name.toLowerCase()
  const target = argument.trim()
  const isModule = directive === 'automodule' || moduleDirective.test(directive)
  if (!isModule && !autodocDirective.test(directive)) return undefined
  const item = { kind: 'directive', text } as const
  if (!/^[A-Za-z_]\w*(?:\.\w+)*$/.test(target)) return item
  if (isModule) return { ...item, vocabularyKey: `autodoc module:${target}` }
  const container = target.includes('.') ? target.slice(0, target.lastIndexOf('.')) : ''
  return { ...item, vocabularyKey: container === '' ? `autodoc name:${directive}` : `autodoc in:${container}` }
}

const inertRoles = new Set(
  `ref doc numref eq term any envvar token keyword option abbr command dfn file guilabel kbd mailheader makevar manpage
  menuselection mimetype newsgroup program regexp samp pep rfc emphasis strong literal code math sub sup subscript superscript
  title-reference title t c func class meth attr mod data const exc obj type py:func py:class py:meth py:attr py:mod py:data py:exc
  py:obj c:func cpp:class cpp:func js:func rst:dir rst:role cite footcite index py menuselection confval setting fas far fab bdg
  octicon material-regular button-ref rtd external:doc external:ref`.split(/\s+/),
)

interface DirectiveUse {
  name: string
  argument: string
  /** The lines of the directive, with its options. */
  text: string
}

function toItem({ name, argument, text }: DirectiveUse, scope: IncludeScope): Omit<ActiveItem, 'line'> | undefined {
  const directive = name.toLowerCase()
  const files = [...text.matchAll(/(?:^|\n)[^\S\n]*:?(?:file|url|diff):[^\S\n]*([^\n]*)/g)].map(([, file = '']) =>
    file.trim(),
  )
  const readsOutside = files.some((file) => !isAmongPages(file, scope))
  if (directive === 'include' || directive === 'literalinclude') {
    // A path that starts with a slash is relative to the source folder in Sphinx; docutils reads it from the root of the machine.
    const [, secondLine = ''] = text.split('\n')
    const isContinued = secondLine.trim() !== '' && !/^\s*(?::|`|~)/.test(secondLine)
    return isAmongPages(argument, scope) && !isContinued && !readsOutside ? undefined : { kind: 'include', text }
  }
  // A role that is only another name for code or emphasis.
  if (directive === 'role' && /^[\w-]+\((?:code|literal|strong|emphasis)\)$/.test(argument.trim())) return undefined
  if (directive === 'csv-table' || directive === 'list-table')
    return readsOutside ? { kind: 'include', text } : undefined
  if (directive === 'meta' && /http-equiv/i.test(text)) return { kind: 'directive', text }
  const isImage = directive === 'image' || directive === 'figure'
  if (isImage && /(?:^|\/)\.(?!\.?\/)/.test(argument.trim())) return { kind: 'include', text }
  if (activeDirectives.test(directive) || readsOutside) return { kind: 'directive', text }
  if (inertDirectives.has(directive)) return undefined
  return { kind: 'directive', text, vocabularyKey: `directive:${directive}` }
}

/** `.. name:: argument` anywhere, because a directive can be in a list, a field, a footnote or a table; and the indented lines below. */
const rstDirective =
  /\.\.[^\S\n]+(?:\|[\s\S]{1,100}?\|[^\S\n]+)?([\w:.+-]+?)[^\S\n]*::(?=\s|$)(?:[^\S\n]+([^\n]*))?((?:\n(?:[^\S\n]+[^\n]*|(?=\n)))*)/g
const rstRole = /(?<![\w`:]):([\w:.+-]+):`/g
const rstTrailingRole = /`[^`\n]+`:([\w:.+-]+):/g

export function findRstContent(text: string, scope: IncludeScope): ActiveItem[] {
  const ownRoles = new Set(
    [...text.matchAll(/^\s*\.\. role:: ([\w-]+)\((?:code|literal|strong|emphasis)\)/gm)].map(([, name]) => name),
  )
  const importsModules = hasAutodoc(text)
  const toOwnRoleItem = (match: string, name: string) => (ownRoles.has(name) ? undefined : toRoleItem(match, name))
  return [
    ...listDirectives(text).flatMap(({ offset, ...use }) => {
      const item = (importsModules ? toAutodocItem(use) : undefined) ?? toItem(use, scope)
      return item ? [{ ...item, text: toItemText(item.text), line: text.slice(0, offset).split('\n').length }] : []
    }),
    ...findItems(text, rstRole, ([match, name = '']) => toOwnRoleItem(match, name)),
    ...findItems(text, rstTrailingRole, ([match, name = '']) => toOwnRoleItem(match, name)),
  ]
}

/** Directives in the body of another one as well. */
function listDirectives(text: string, start = 0): (DirectiveUse & { offset: number })[] {
  return [...text.matchAll(rstDirective)].flatMap((match) => {
    const [all, name = '', argument = '', block = ''] = match
    const offset = start + match.index
    const inner = all.slice(2)
    const first = all.slice(0, all.length - block.length)
    const options = /^(?:\n[^\S\n]+:[^\n]*(?:\n[^\S\n]+(?!:)[^\n]*)*|\n[^\S\n]+[^\n]+)*/.exec(block)?.[0] ?? ''
    return [{ name, argument, text: first + options, offset }, ...listDirectives(inner, offset + 2)]
  })
}

/** Without backslashes, and without white space in the targets of links, which docutils ignores. */
export const withoutRstEscapes = (text: string): string =>
  text
    .replaceAll('\\', '')
    .replaceAll(/<[^<>\n]*>|^\s*\.\. _[^:\n]*:[^\n]*(?:\n\s+[^\n]*)?/gm, (target) =>
      target.replaceAll(/(?<=\w)\s+(?=\w)/g, ''),
    )

function toRoleItem(text: string, name: string): Omit<ActiveItem, 'line'> | undefined {
  if (name === 'raw-html' || name === 'raw' || name === 'html') return { kind: 'role', text }
  return inertRoles.has(name) ? undefined : { kind: 'role', text, vocabularyKey: `role:${name}` }
}

/** Fences with braces, such as ```{note}, colons such as :::{note}, and roles such as {ref}`x`. */
const mystDirective =
  /^.*?(?:`{3,}|~{3,}|:{3,})[^\S\n]*\{([^}\n]*)\}[^\S\n]*([^\n]*)((?:\n[^\S\n]*(?::|---|\w[\w-]*:)[^\n]*)*)/gm
const mystRole = /\{([\w:.+-]+)\}`/g

/** Jupyter executes `{code-cell}`; with some extensions, other languages in braces as well. */
const isCodeCell = (name: string): boolean => /^(?:code-cell|code-cell\s.*|python|r|julia|ipython\d?)$/i.test(name)

export const findMystContent = (page: string, text: string, scope: IncludeScope): ActiveItem[] => [
  ...findItems(page, mystDirective, ([match, name = '', argument = '']) =>
    isCodeCell(name)
      ? { kind: 'code_cell', text: codeCellText(page, match) }
      : toItem({ name, argument, text: match }, scope),
  ),
  ...findItems(page, mystRole, ([match, name = '']) => toRoleItem(match, name)),
  ...findItems(page, /\{eval\}`[^`]*`/g, ([match]) => ({ kind: 'role', text: match })),
  ...findBraces(text),
]

/** A cell with its code, to the end of its fence: changed code is not the code that was there before. */
function codeCellText(page: string, opening: string): string {
  const start = page.indexOf(opening)
  const fence = /`{3,}|~{3,}|:{3,}/.exec(opening)?.[0] ?? '```'
  const end = page.indexOf(`\n${fence}`, start + opening.length)
  return page.slice(start, end < 0 ? undefined : end)
}
