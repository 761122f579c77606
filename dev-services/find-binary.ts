import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The full path of a program on the PATH, or in one of `alsoIn`. */
export function findBinary(name: string, alsoIn: readonly string[] = []): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...alsoIn]
  return directories.map((directory) => join(directory, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
