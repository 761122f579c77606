export const referenceStylesheet = ''
export const renderReferencePage = (_document: Record<string, unknown>): string => ''
