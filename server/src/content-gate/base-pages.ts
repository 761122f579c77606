/** Which pages of the base are read to know what is in use: the worker and the sandbox must choose the same ones. */
import { isPage } from '../site-generators/page-format.ts'

const maxBasePages = 500
/** Larger pages are not read, and as a result they are refused. */
export const maxPageBytes = 1024 * 1024
export const maxBasePagesBytes = 4 * 1024 * 1024

/** The pages that are nearest to the changed ones. */
export function selectBasePages(paths: readonly string[], changedPaths: readonly string[]): string[] {
  const pages = paths.filter(isPage).map((path) => ({
    path,
    distance: Math.min(...changedPaths.map((changed) => countSteps(path, changed))),
  }))
  return pages
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, maxBasePages)
    .map(({ path }) => path)
}

/** How many folders are between two files. */
function countSteps(path: string, other: string): number {
  const one = path.split('/')
  const two = other.split('/')
  const common = one.findIndex((part, index) => part !== two[index])
  return common < 0 ? 0 : one.length + two.length - 2 * common
}
