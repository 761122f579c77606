import Type from 'typebox'

export const ModelTestSchema = Type.Object(
  {
    works: Type.Boolean(),
    message: Type.String({ description: 'In words that a person can act on.' }),
    milliseconds: Type.Integer({ description: 'How long it took.' }),
  },
  { $id: 'ModelTest' },
)

export async function timeTest(test: () => Promise<string | undefined>) {
  const startedAt = performance.now()
  const wrong = await test()
  const milliseconds = Math.round(performance.now() - startedAt)
  return { works: wrong === undefined, message: wrong ?? 'The model answered.', milliseconds }
}
