/**
 * The version of the rules of file names (`parseFilename`) and of directory names
 * (`parseDirectory`). Raise it with every change after which names are accepted that were rejected
 * before: the indexer stores it, and after a start with another version it looks at the rejected
 * names again.
 */
export const nameRulesVersion = 1
