import { readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommand } from '../../testing/services/run-command.ts'
import { type Mutation, mutate } from './mutation.ts'

export interface MutatedCheckout {
  directory: string
  remove(): Promise<void>
}

export const checkout = join(import.meta.dirname, '../..')
const { workspaces }: { workspaces: string[] } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))

/** Copies the checkout, including changes that are not committed, and adds the bug to the copy. */
export async function createMutatedCheckout(mutation: Mutation): Promise<MutatedCheckout> {
  const mutated = mutate(await readFile(join(checkout, mutation.file), 'utf8'), mutation)
  const directory = await mkdtemp(join(tmpdir(), 'colophon-mutation-'))
  await chmod(directory, 0o755) // a runner started as root works as the user nobody, who must be able to read it
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = (await runCommand(list, { cwd: checkout })).split('\0').filter((file) => file !== '')
  for (const file of files) await copyIfPresent(file, directory)
  for (const workspace of workspaces) await copyIfPresent(join(workspace, 'dist'), directory) // so that nothing is built again
  await writeFile(join(directory, mutation.file), mutated)
  await commit(directory)
  await linkPackages(directory)
  // The copy uses the services that run for this checkout, if any.
  await mkdir(join(checkout, '.services'), { recursive: true })
  await symlink(join(checkout, '.services'), join(directory, '.services'))
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Some proofs clone the checkout. */
async function commit(directory: string): Promise<void> {
  const git = (...args: string[]) => runCommand(['git', ...args], { cwd: directory })
  await git('init', '--quiet')
  await git('add', '--all')
  const author = ['-c', 'user.name=Colophon', '-c', 'user.email=colophon@localhost.invalid']
  await git(...author, 'commit', '--quiet', '--message', 'a bug')
}

async function copyIfPresent(path: string, directory: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await cp(join(checkout, path), join(directory, path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error // deleted, but not yet in git
  })
}

/** Links every package but the workspaces, which must be those of the copy. */
async function linkPackages(directory: string): Promise<void> {
  const packages = join(checkout, 'node_modules')
  await mkdir(join(directory, 'node_modules/@colophon'), { recursive: true })
  for (const name of await readdir(packages))
    if (name !== '@colophon') await symlink(join(packages, name), join(directory, 'node_modules', name))
  for (const workspace of workspaces) {
    const { name }: { name: string } = JSON.parse(await readFile(join(directory, workspace, 'package.json'), 'utf8'))
    await symlink(join(directory, workspace), join(directory, 'node_modules', name))
    const own = join(workspace, 'node_modules') // packages that are not hoisted
    if ((await readdir(join(checkout, own)).catch(() => [])).length > 0)
      await symlink(join(checkout, own), join(directory, own))
  }
}
