/** The country of a station code, its name, and the codes of merged navigation files. */

/**
 * Codes of countries (ISO 3166-1, and XKX for Kosovo, which is assigned by its users), alpha-3 and
 * alpha-2: the end of the station codes of long names
 * is alpha-3; names are known by alpha-2.
 */
const pairs =
  'ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG ' +
  'AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL ' +
  'BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH ' +
  'CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX ' +
  'CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ' +
  'ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI ' +
  'GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM ' +
  'HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT ' +
  'JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB ' +
  'LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD ' +
  'MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS ' +
  'MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO ' +
  'NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP ' +
  'PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS ' +
  'SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI ' +
  'SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO ' +
  'TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC ' +
  'VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS XKXXK YEMYE ZAFZA ZMBZM ZWEZW'

const alpha2: ReadonlyMap<string, string> = new Map(
  pairs.split(' ').map((pair) => [pair.slice(0, 3), pair.slice(3)]),
)

const names = new Intl.DisplayNames('en', { type: 'region' })

/** The English name of a country, for example `Austria`. @param code alpha-3, of `countryOf` */
export function countryName(code: string): string {
  const short = alpha2.get(code)
  return short === undefined ? code : (names.of(short) ?? code)
}

/** True for the code of a country, alpha-3 in upper case. */
export function isCountry(code: string): boolean {
  return alpha2.has(code)
}

/**
 * The countries whose code is a text, or whose name begins with it, or has a word that does: in any
 * case, with or without accents. In the order of their codes.
 */
export function countriesNamed(text: string): readonly string[] {
  const wanted = plain(text.trim())
  if (wanted.length < 2) return []
  return [...alpha2].flatMap(([code, short]) => {
    const name = ` ${plain(countryName(code))}`
    const isNamed =
      name.startsWith(` ${wanted}`) || (wanted.length > 3 && name.includes(` ${wanted}`))
    return isNamed || [code, short].includes(wanted.toUpperCase()) ? [code] : []
  })
}

/** The code of the country that has this code or name, in any case, with or without accents. */
export function countryNamed(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  if (isCountry(code)) return code
  const wanted = plain(text.trim())
  return countriesNamed(text).find((each) => plain(countryName(each)) === wanted)
}

/** The codes of all countries, in the order of their names. */
export function allCountries(): readonly string[] {
  return byName([...alpha2.keys()])
}

/** The countries of station codes, each once. */
export function countriesOf(stations: readonly string[]): readonly string[] {
  return [...new Set(stations.flatMap((code) => countryOf(code) ?? []))].toSorted()
}

/** @returns the codes of countries in the order of their names */
export function byName(codes: readonly string[]): readonly string[] {
  return codes.toSorted((a, b) => countryName(a).localeCompare(countryName(b), 'en'))
}

/** In lower case, without accents. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/**
 * The country of a station code in upper case; `undefined` for a code of 4 characters, and if the
 * last three characters are a project (`IGS`, `DLR`) or no country (`XXX`).
 */
export function countryOf(station: string): string | undefined {
  const country = station.slice(6)
  return isCountry(country) ? country : undefined
}

/**
 * True for the codes of merged navigation files. These files contain data of many stations, but
 * their code looks like that of one station (`BRDC00IGS`, `hour`).
 */
export function isMergedNavigation(station: string): boolean {
  return /^(?:BRDC|HOUR)/.test(station)
}
