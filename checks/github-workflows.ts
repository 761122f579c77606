/**
 * npm run check:workflows: checks .github/workflows with actionlint, from the PATH or built once, and the shell scripts with
 * shellcheck if it is installed.
 */
import { join } from 'node:path'
import { getOrFillCacheDirectory } from '../testing/services/cache.ts'
import { findBinary } from '../testing/services/find-binary.ts'
import { buildGoModule, type GoModule } from '../testing/services/go-build.ts'
import { runCommand } from '../testing/services/run-command.ts'

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

const shellScripts = ['setup', '.ci/run', '.ci/nightly']

try {
  const options = { cwd: join(import.meta.dirname, '..') }
  await runCommand([findBinary('actionlint') ?? (await buildActionlint()), '-color'], options)
  console.log('No problems in .github/workflows.')
  const shellcheck = findBinary('shellcheck')
  if (shellcheck) await runCommand([shellcheck, '--external-sources', '--severity=warning', ...shellScripts], options)
  console.log(shellcheck ? `No problems in ${shellScripts.join(', ')}.` : 'shellcheck is not installed.')
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
