import { pathInFolder } from '../../site-generators/site-paths.ts'

/**
 * Files that a project allows beside its docs: `openapi.yaml` is a file, `examples/` is everything in a folder but hidden files, which
 * tools execute or read as instructions. These have to be named.
 */
export const isAllowedPath = (path: string, allowedPaths: readonly string[]): boolean =>
  allowedPaths.some((allowed) => {
    if (!allowed.endsWith('/')) return path === allowed
    const pathBelow = pathInFolder(path, allowed.slice(0, -1))
    return pathBelow !== undefined && !pathBelow.split('/').some((component) => component.startsWith('.'))
  })
