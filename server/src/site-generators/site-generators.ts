/** All generators, in the order in which they are tried. */
import { antora } from './generators/antora.ts'
import { docusaurus } from './generators/docusaurus.ts'
import { fumadocs } from './generators/fumadocs.ts'
import { hugo } from './generators/hugo.ts'
import { jekyll } from './generators/jekyll.ts'
import { jupyterBook } from './generators/jupyter-book.ts'
import { mdbook } from './generators/mdbook.ts'
import { mintlify } from './generators/mintlify.ts'
import { mkdocs } from './generators/mkdocs.ts'
import { nextra } from './generators/nextra.ts'
import { sphinx } from './generators/sphinx.ts'
import { starlight } from './generators/starlight.ts'
import { unknownGenerator } from './generators/unknown.ts'
import { vitepress } from './generators/vitepress.ts'
import { zensical } from './generators/zensical.ts'
import type { SiteGenerator, SiteGeneratorId } from './site-generator.ts'

/** Generators whose configuration has a name of its own come first. */
export const siteGenerators: readonly SiteGenerator[] = [
  docusaurus,
  vitepress,
  starlight,
  zensical,
  mkdocs,
  fumadocs,
  nextra,
  mdbook,
  antora,
  jupyterBook,
  sphinx,
  mintlify,
  hugo,
  jekyll,
  unknownGenerator,
]

const byId = new Map(siteGenerators.map((generator) => [generator.id, generator]))

export const siteGeneratorOf = (id: SiteGeneratorId): SiteGenerator => byId.get(id) ?? unknownGenerator
