import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than 20 seconds, longest first. Vitest would start them by size, some of them last. */
const slowFiles = [
  'server/src/runner/agents/pi/pi-agent.integration.test.ts',
  'server/src/code-hosts/hostile-results.integration.test.ts',
  'server/src/runner/run-turn.integration.test.ts',
  'server/src/activities/poll-pull-requests.integration.test.ts',
  'server/src/runner/sandbox/self-test.integration.test.ts',
  'checks/code-blocks.integration.test.ts',
  'server/src/activities/publish-while-paused.integration.test.ts',
  'server/src/activities/result-publisher.integration.test.ts',
  'server/src/main/processes/runner.integration.test.ts',
  'server/src/api/models/instance-models.integration.test.ts',
].map((file) => join(import.meta.dirname, file))
for (const file of slowFiles)
  if (!existsSync(file)) throw new Error(`slowFiles in vitest.config.ts: ${file} does not exist`)

class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slowFiles.indexOf(moduleId)
      return index === -1 ? slowFiles.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

// `unit` needs no services and runs anywhere; `integration` shares one running set, or starts it.
export default defineConfig({
  // sdk's source, not what was last built of it
  ssr: { resolve: { conditions: ['colophon-source', 'node', 'development|production'] } },
  test: {
    maxWorkers: 3, // integration tests mostly wait; one at a time, as vitest would on two cores, takes more than twice as long
    maxConcurrency: 4, // tests of one file that run at the same time
    sequence: { sequencer: SlowestFirstSequencer },
    projects: [
      {
        test: {
          name: 'unit',
          testTimeout: 60_000, // ends only tests that hang, also on a busy machine
          expect: { poll: { timeout: 30_000 } },
          include: [
            '{server,web,sdk,mcp,python,cli,integrations,dev,testing,proofs,checks,release}/**/*.test.{ts,tsx}',
          ],
          exclude: ['**/*.integration.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        test: {
          name: 'integration',
          // The files that a worker runs share its modules: importing them for each file took a fifth of the time.
          isolate: false,
          include: ['{server,web,sdk,mcp,python,cli,integrations,dev,testing,proofs,checks}/**/*.integration.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          globalSetup: ['testing/harness/vitest-setup.ts'],
          setupFiles: ['testing/harness/denied-statements.ts'],
          testTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
