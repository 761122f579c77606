import { beforeAll, describe, expect, it } from 'vitest'
import { findSites } from '../site-generators/recognize-site.ts'
import type { Site } from '../site-generators/site-generator.ts'
import { inspectChanges } from './inspect-changes.ts'
import { attacks } from './testing/attacks.ts'
import { exampleSites } from './testing/example-sites.ts'
import { hostileContents } from './testing/hostile-contents.ts'

const basePages = Object.entries(exampleSites).map(([path, text]) => ({ path, text }))
let sites: readonly Site[]
beforeAll(async () => {
  const files = { paths: Object.keys(exampleSites), read: async (path: string) => exampleSites[path] }
  sites = await findSites(files, { docsFolders: ['docs'] })
})

const inspect = async (path: string, after: string, before = exampleSites[path]) => {
  const { refusals } = await inspectChanges({
    sites,
    allowedPaths: [],
    changes: [{ path, before, after }],
    removed: [],
    basePages,
  })
  return refusals
}

describe.each(hostileContents.map((content) => [content.name, content] as const))(
  '%s',
  (_, { code, path, hostile, harmless }) => {
    it('is refused', async () => {
      const refusals = await inspect(path, hostile)
      expect([...new Set(refusals.map((refusal) => refusal.code))]).toEqual([code])
    })

    it('has a harmless counterpart, which is accepted', async () => {
      await expect(inspect(path, harmless)).resolves.toEqual([])
    })
  },
)

it('accepts pages as they are', async () => {
  for (const { path, text } of basePages.filter(({ path }) => /\.(?:mdx?|rst|adoc)$/.test(path)))
    expect([path, await inspect(path, text)]).toEqual([path, []])
})

it('accepts a head that another page has, as translations do, and no other one', async () => {
  const path = 'docs/starlight/src/content/docs/fr/wide.md'
  const page = exampleSites['docs/starlight/src/content/docs/wide.md'] ?? ''
  expect(await inspect(path, page.replace('title: Wide', 'title: Large'))).toEqual([])
  expect(await inspect(path, page.replace('60rem', '70rem'))).toMatchObject([{ code: 'active_content' }])
})

it.each(attacks.map((attack) => [attack.name, attack] as const))('refuses the attack: %s', async (_, attack) => {
  expect(await inspect(attack.path, attack.after, attack.before)).not.toEqual([])
})
