/** Builds the commands of a published Go module, for servers that no package registry offers as a binary. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'
import { type ProgressDisplay, showProgress } from './progress-display.ts'
import { runCommand } from './run-command.ts'

export interface GoModule {
  title: string
  path: string
  version: string
  /** Go's checksum of the module. A different one means that the published module was changed. */
  sum: string
  /** Name of the binary → package inside the module. */
  commands: Readonly<Record<string, string>>
  tags?: string
  /** Variables to set at link time, like `package.version=v1.2.3`: most programs do not know their version otherwise. */
  variables?: readonly string[]
  expectedSeconds: number
  /** Called with the directory of the source before the build, for a module that cannot be built as it was published. */
  prepareSource?: (source: string) => Promise<void>
}

/** Creates `source/` (the module, whose schemas and templates are needed at run time) and `bin/` in the directory. */
export async function buildGoModule(module: GoModule, directory: string): Promise<void> {
  if (!findBinary('go')) {
    throw new Error(
      `${module.title} is not on the PATH and has to be built, which needs Go 1.26 or newer. ` +
        `Install Go or Docker; CONTRIBUTING.md describes how to use your own binaries.`,
    )
  }
  const progress = showProgress(`Building ${module.title} ${module.version}`, module.expectedSeconds)
  try {
    await buildWithProgress(module, directory, progress)
  } finally {
    progress.done()
  }
}

/** Fills Go's module cache, so that the build does not wait for downloads. */
export async function downloadGoModule(module: GoModule): Promise<void> {
  await listDependencies(module, await fetchSource(module))
}

/** Without GOWORK and GOFLAGS of the user's own projects. */
const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false' }

/** Returns the directory of the source in Go's module cache. */
export async function fetchSource(module: Pick<GoModule, 'path' | 'version' | 'sum'>): Promise<string> {
  const response = await runCommand(['go', 'mod', 'download', '-json', `${module.path}@${module.version}`], { env })
  const { Dir: directory, Sum: sum } = JSON.parse(response) as { Dir: string; Sum: string }
  if (sum !== module.sum)
    throw new Error(`${module.path}@${module.version} has checksum ${sum}, expected ${module.sum}.`)
  return directory
}

/** Downloads the dependencies that are not in Go's module cache. */
async function listDependencies({ commands }: GoModule, source: string): Promise<string[]> {
  const response = await runCommand(['go', 'list', '-deps', ...Object.values(commands)], { cwd: source, env })
  return response.trim().split('\n')
}

async function buildWithProgress(module: GoModule, directory: string, progress: ProgressDisplay): Promise<void> {
  progress.update('fetching the source')
  const download = await fetchSource(module)
  const source = join(directory, 'source')
  await cp(download, source, { recursive: true })
  await runCommand(['chmod', '-R', 'u+w', source]) // Go's module cache is read-only, and cp preserves modes
  await module.prepareSource?.(source)

  progress.update('fetching dependencies')
  const { length: total } = await listDependencies(module, source)
  const linkerFlags = ['-ldflags=-s -w', ...(module.variables ?? []).map((variable) => `-X ${variable}`)].join(' ')
  let compiled = 0
  for (const [binary, packagePath] of Object.entries(module.commands)) {
    await runCommand(
      ['go', 'build', '-v', '-trimpath', linkerFlags, ...(module.tags ? ['-tags', module.tags] : [])].concat([
        '-o',
        join(directory, 'bin', binary),
        packagePath,
      ]),
      { cwd: source, env, onErrorLine: () => progress.update(`${++compiled} of ${total} packages compiled`) },
    )
  }
}
