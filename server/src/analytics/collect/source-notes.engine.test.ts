import { afterAll, expect, inject, test } from 'vitest'
import { createViewsScope } from '../testing/views-scope.ts'
import { SourceNotes } from './source-notes.ts'

const scope = await createViewsScope(inject('engines'), 'source notes')
afterAll(() => scope.drop())

test('whoever settles while another does waits until it is written', async () => {
  const notes = new SourceNotes(scope.db, scope.log)
  const projectId = await scope.newProject('Docs')
  notes.note({ projectId, source: 'servers', counted: 3, dropped: {}, examples: [] })
  const first = notes.settle()
  await notes.settle()
  const { rows } = await scope.pool.query('SELECT events::int FROM source_event_count WHERE project_id = $1', [
    projectId,
  ])
  expect(rows).toEqual([{ events: 3 }])
  await first
})
