import Type from 'typebox'

export const ModelParams = Type.Object({
  modelName: Type.String({ maxLength: 100, description: "The model's name; a slash in it is written as `%2F`." }),
})
