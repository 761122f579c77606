import Type from 'typebox'

export const ModelTestSchema = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String({ description: 'In words that a person can act on.' }),
    latencyMs: Type.Integer({ description: 'How long it took.' }),
  },
  { $id: 'ModelTest' },
)

export async function timeTest(test: () => Promise<string | undefined>) {
  const startedAt = performance.now()
  const wrong = await test()
  const latencyMs = Math.round(performance.now() - startedAt)
  return { ok: wrong === undefined, message: wrong ?? 'The model answered.', latencyMs }
}
