/** Python with packages from PyPI, in a virtual environment outside the checkout. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { runCommand } from './run-command.ts'

/** Returns the path of a Python that has the packages of the file, which lists all of them with their hashes. */
export async function getPythonWith(name: string, requirementsFile: string): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirementsFile)).digest('hex').slice(0, 12)
  const directory = await getOrFillCacheDirectory(name, version, async (target) => {
    await runCommand(['python3', '-m', 'venv', target])
    await runCommand([
      join(target, 'bin/python'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--require-hashes',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--requirement',
      requirementsFile,
    ])
  })
  // The scripts of a virtual environment contain the directory that it was created in. Its Python works after a move.
  return join(directory, 'bin/python')
}
