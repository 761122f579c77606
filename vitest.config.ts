import { defineConfig } from 'vitest/config'

// `unit` needs no services and runs anywhere; `integration` shares one running set, or starts it.
export default defineConfig({
  // sdk's source, not what was last built of it
  ssr: { resolve: { conditions: ['colophon-source', 'module', 'node', 'development|production'] } },
  test: {
    maxWorkers: 3, // integration tests mostly wait; one at a time, as vitest would on two cores, takes more than twice as long
    projects: [
      {
        test: {
          name: 'unit',
          testTimeout: 30_000, // two noisy cores
          include: ['{server,web,sdk,cli,dev-services,proofs,checks,release}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{server,web,sdk,cli,dev-services,proofs,checks}/**/*.integration.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          globalSetup: ['dev-services/vitest-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: 1, // real clocks on a shared machine; the report says which test needed it
        },
      },
    ],
  },
})
