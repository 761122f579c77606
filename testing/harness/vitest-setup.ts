/** Provides integration tests with running services: `inject('services')`. */
import type { TestProject } from 'vitest/node'
import { findOrStartServices } from '../services/running-services.ts'
import type { ServiceAddresses } from '../services/start-services.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    services: ServiceAddresses
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await findOrStartServices({ log: (line) => console.error(`  ${line}`) })
  project.provide('services', services.addresses)
  return services.release
}
