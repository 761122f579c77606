import { pageFormatWithMarkdown } from '../page-format.ts'
import type { NavigationFile, Site, SiteGenerator } from '../site-generator.ts'
import { nameOf } from '../site-paths.ts'

/** Files with these names contain nothing but the order of pages, whichever generator reads them. */
const navigationNames =
  /^(?:_?meta\.json|(?:nav|navigation|toc|sidebars?)\.json|_category_\.(?:json|ya?ml)|_?toc\.ya?ml|(?:nav|navigation|sidebar)\.ya?ml|\.pages|\.nav\.yml)$/

export const unknownGenerator: SiteGenerator = {
  id: 'unknown',
  name: 'Unknown',
  isConfigName: () => false,
  openSite: async () => undefined,
  findNavigation: (_site, path) => findCommonNavigation(path),
  pageFormat: (_site, path) => pageFormatWithMarkdown(path, 'any-markdown'),
  urlOf: () => undefined,
  describeNavigation: () =>
    'The site generator of this repository was not recognized. If a file such as `toc.yml`, `nav.yml` or `sidebar.json` lists the neighboring pages, add the page there.',
}

export function findCommonNavigation(path: string): NavigationFile | undefined {
  const name = nameOf(path)
  if (!navigationNames.test(name)) return undefined
  return { format: name.endsWith('.json') ? 'json' : 'yaml', part: 'whole' }
}

export const createUnknownSite = (docsFolder: string): Site => ({
  generator: 'unknown',
  configFile: null,
  folder: '',
  pagesFolder: docsFolder,
  urls: { basePath: '/', pagesPath: '', ending: 'none' },
  isMarkdownMdx: true, // the strict choice, if a person chose a generator whose configuration was not found
  pageExtensions: [],
})
