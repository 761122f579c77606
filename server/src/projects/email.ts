/** Not the whole grammar of addresses, which nobody uses: something, an @, something, and nothing that breaks a line. */
export const emailPattern =
  '^[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,64}@[^\\s\\u0000-\\u001f\\u007f-\\u009f@<>",;]{1,189}$'
