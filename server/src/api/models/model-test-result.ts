import Type from 'typebox'

export const ModelTestResultSchema = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the model responded as expected.' }),
    message: Type.String({ description: 'Result of the test, and what is wrong if it failed.' }),
    latencyMs: Type.Integer({ description: 'Duration of the test in milliseconds.' }),
  },
  {
    $id: 'ModelTest',
    description: 'Result of testing a model with one small call.',
    examples: [{ ok: true, message: 'The model responded.', latencyMs: 840 }],
  },
)

export async function timeModelTest(test: () => Promise<string | undefined>) {
  const startedAt = performance.now()
  const failure = await test()
  const latencyMs = Math.round(performance.now() - startedAt)
  return { ok: failure === undefined, message: failure ?? 'The model responded.', latencyMs }
}
