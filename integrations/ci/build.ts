/** npm run integrations: bundles the GitHub Action and the script of the GitLab component, each into one file that is committed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

export const bundles = {
  'src/github.ts': join(import.meta.dirname, '../github-action/bundle.mjs'),
  'src/gitlab.ts': join(import.meta.dirname, '../gitlab/bundle.mjs'),
} as const

export async function createBundle(entry: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, entry),
    platform: 'node',
    resolve: { conditionNames: ['colophon-source', 'node', 'import'] },
  })
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    return `// Built by npm run integrations from integrations/ci/${entry}.\n${output[0].code}`
  } finally {
    await bundle.close()
  }
}

if (import.meta.main)
  for (const [entry, file] of Object.entries(bundles)) writeFileSync(file, await createBundle(entry))
