import type { PublishingRules } from '@colophon/sdk'

export type SiteGenerator = NonNullable<PublishingRules['siteGenerator']>

export const siteGeneratorLabels: Readonly<Record<SiteGenerator, string>> = {
  docusaurus: 'Docusaurus',
  mkdocs: 'MkDocs',
  zensical: 'Zensical',
  vitepress: 'VitePress',
  starlight: 'Astro Starlight',
  hugo: 'Hugo',
  sphinx: 'Sphinx',
  'jupyter-book': 'Jupyter Book',
  nextra: 'Nextra',
  fumadocs: 'Fumadocs',
  mintlify: 'Mintlify',
  mdbook: 'mdBook',
  jekyll: 'Jekyll',
  antora: 'Antora',
  unknown: 'Another one',
}

const recognized = 'recognized'

/** Options of the select. The first one means that no generator is chosen. */
export const siteGeneratorOptions = [
  { value: recognized, label: 'Recognize it from the repository' },
  ...Object.entries(siteGeneratorLabels).map(([value, label]) => ({ value, label })),
]

export const toOption = (generator: SiteGenerator | null): string => generator ?? recognized

export const fromOption = (option: string | null): SiteGenerator | null =>
  option === null || option === recognized ? null : (option as SiteGenerator)
