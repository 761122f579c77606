/** npm run check:workflows: checks .github/workflows with actionlint, from the PATH or built once. */
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../dev-services/cache.ts'
import { findBinary } from '../dev-services/find-binary.ts'
import { buildGoModule, type GoModule } from '../dev-services/go-build.ts'
import { runCommand } from '../dev-services/run-command.ts'

const actionlint: GoModule = {
  title: 'actionlint',
  path: 'github.com/rhysd/actionlint',
  version: 'v1.7.12',
  sum: 'h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY=',
  commands: { actionlint: './cmd/actionlint' },
  expectedSeconds: 60,
}

const buildActionlint = async () =>
  join(
    await getOrFillCacheDirectory('actionlint', actionlint.version, (directory) =>
      buildGoModule(actionlint, directory),
    ),
    'bin/actionlint',
  )

try {
  await runCommand([findBinary('actionlint') ?? (await buildActionlint()), '-color'], {
    cwd: join(import.meta.dirname, '..'),
  })
  console.log('No problems in .github/workflows.')
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
