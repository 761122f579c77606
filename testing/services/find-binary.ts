import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the full path of a program on the PATH or in one of the extra directories. */
export function findBinary(name: string, extraDirectories: readonly string[] = []): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...extraDirectories]
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
