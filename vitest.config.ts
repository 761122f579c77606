import { defineConfig } from 'vitest/config'

// `unit` needs no engine and runs anywhere; `engine` shares one running set, or starts it.
export default defineConfig({
  // sdk's source, not what was last built of it
  ssr: { resolve: { conditions: ['colophon-source', 'module', 'node', 'development|production'] } },
  test: {
    maxWorkers: 2, // tests on engines mostly wait; one at a time, as vitest would on two cores, takes twice as long
    projects: [
      {
        test: {
          name: 'unit',
          testTimeout: 30_000, // two noisy cores
          include: ['{server,web,sdk,cli,engines,proofs,checks}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.engine.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        test: {
          name: 'engine',
          include: ['{server,web,sdk,cli,engines,proofs}/**/*.engine.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          globalSetup: ['engines/vitest-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: 1, // real clocks on a shared machine; the report says which test needed it
        },
      },
    ],
  },
})
