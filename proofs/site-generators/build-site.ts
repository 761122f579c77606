/** Builds a site with its real generator. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommand } from '../../testing/services/run-command.ts'
import type { ExampleSite, Files } from './example-site.ts'

export interface BuiltSite extends AsyncDisposable {
  /** The directory of the built site. */
  output: string
  tookMs: number
}

/** Deletes everything at the end of the scope. A build that fails throws. */
export async function buildSite(
  { installation, build, output }: ExampleSite,
  installed: string,
  files: Files,
): Promise<BuiltSite> {
  // JavaScript finds packages in the directories above it, and Next does not follow a link to them.
  const directory = await mkdtemp(join(installation.from === 'npm' ? installed : tmpdir(), 'build-'))
  const remove = () => rm(directory, { recursive: true, force: true, maxRetries: 3 })
  try {
    for (const [path, contents] of Object.entries(files)) {
      await mkdir(join(directory, dirname(path)), { recursive: true })
      await writeFile(join(directory, path), contents)
    }
    const startedAt = performance.now()
    for (const command of build(installed)) await runCommand(command, { cwd: directory, env: buildEnvironment })
    const tookMs = performance.now() - startedAt
    return { output: join(directory, output), tookMs, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Nothing is reported to the makers of the generators, and no progress is drawn. */
const buildEnvironment = {
  ...process.env,
  CI: '1',
  DO_NOT_TRACK: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NO_MKDOCS_2_WARNING: '1',
  NO_UPDATE_NOTIFIER: '1',
  LANG: 'C.UTF-8', // Jekyll reads files in the encoding of the locale
}
