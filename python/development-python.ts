import { join } from 'node:path'
import { getPythonWith } from '../testing/services/python-packages.ts'

/** A Python that has what generates, type-checks and tests the client. */
export const getDevelopmentPython = (): Promise<string> =>
  getPythonWith('python-client', join(import.meta.dirname, 'development-requirements.txt'))
