import Type from 'typebox'

export const ModelParams = Type.Object({
  modelName: Type.String({
    maxLength: 100,
    description: 'Name of the model. Write a slash in it as `%2F`.',
    examples: ['sonnet'],
  }),
})
