/** Gives the tests that need engines a running set: `inject('engines')`. */
import type { TestProject } from 'vitest/node'
import { shareEngines } from './running-engines.ts'
import type { EngineAddresses } from './start-engines.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    engines: EngineAddresses
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engines = await shareEngines({ say: (line) => console.error(`  ${line}`) })
  project.provide('engines', engines.addresses)
  return engines.release
}
