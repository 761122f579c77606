/** Bundles the command with everything that it imports, so that it runs without `node_modules`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { rolldown } from 'rolldown'

const folder = import.meta.dirname

export interface Bundle {
  code: string
  /** The packages whose code is in it. */
  packages: readonly string[]
}

/** `cjs` for the single executable, which cannot start with an ES module. The same source gives the same text. */
export async function bundleCommand(format: 'esm' | 'cjs'): Promise<Bundle> {
  const build = await rolldown({
    input: join(folder, 'src/main.ts'),
    platform: 'node',
    resolve: { conditionNames: ['colophon-source', 'node', 'import', 'default'] },
    transform: { target: 'node20.18' },
    cwd: folder,
  })
  const { output } = await build.generate({ format, comments: false, codeSplitting: false })
  const [{ code, moduleIds }, ...others] = output
  if (others.length > 0) throw new Error(`More than one file: ${others.map(({ fileName }) => fileName)}`)
  const folders = [...new Set(moduleIds.flatMap(packageFolderOf))]
  const notices = new Map(folders.map((packageFolder) => [nameOf(packageFolder), readNotice(packageFolder)]))
  const packages = [...notices.keys()].sort()
  const noticeTexts = packages.map((name) => notices.get(name)).join('\n')
  return { code: `${code.trimEnd()}\n\n/*\n${noticeTexts}*/\n`, packages }
}

const marker = `${sep}node_modules${sep}`

/** The folder of the package that a file belongs to. Empty for our own files. */
function packageFolderOf(moduleId: string): string[] {
  const start = moduleId.lastIndexOf(marker)
  if (start === -1) return []
  const [first = '', second = ''] = moduleId.slice(start + marker.length).split(sep)
  const name = first.startsWith('@') ? join(first, second) : first
  return [moduleId.slice(0, start) + marker + name]
}

const nameOf = (packageFolder: string) => packageFolder.slice(packageFolder.lastIndexOf(marker) + marker.length)

/** The licenses of the packages require that their text goes with copies of the code. */
function readNotice(packageFolder: string): string {
  const file = readdirSync(packageFolder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${packageFolder} has no license file.`)
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const text = readFileSync(join(packageFolder, file), 'utf8').trim().replaceAll('*/', '* /')
  return `${nameOf(packageFolder)} ${version}\n\n${text}\n`
}
