/** Gives the tests that need engines a running set: `inject('services')`. */
import type { TestProject } from 'vitest/node'
import { shareServices } from './running-services.ts'
import type { ServiceAddresses } from './start-services.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    services: ServiceAddresses
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await shareServices({ say: (line) => console.error(`  ${line}`) })
  project.provide('services', services.addresses)
  return services.release
}
