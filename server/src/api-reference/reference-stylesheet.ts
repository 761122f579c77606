import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Served as /reference.css. */
export const referenceStylesheet = readFileSync(join(import.meta.dirname, 'reference.css'), 'utf8')
