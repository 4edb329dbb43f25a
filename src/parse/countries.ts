/** The country of a station code, and the codes of merged navigation files. */

/** Codes of countries (ISO 3166-1 alpha-3): the end of the station codes of long names. */
const codes =
  'ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR BLZ ' +
  'BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP CZE DEU ' +
  'DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC ' +
  'GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM ' +
  'KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG ' +
  'MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL ' +
  'PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN ' +
  'SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB ' +
  'VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE'

const countries: ReadonlySet<string> = new Set(codes.split(' '))

/**
 * The country of a station code in upper case; `undefined` for a code of 4 characters, and if the
 * last three characters are a project (`IGS`, `DLR`) or no country (`XXX`).
 */
export function countryOf(station: string): string | undefined {
  const country = station.slice(6)
  return countries.has(country) ? country : undefined
}

/**
 * True for the codes of merged navigation files. These files contain data of many stations, but
 * their code looks like that of one station (`BRDC00IGS`, `hour`).
 */
export function isMergedNavigation(station: string): boolean {
  return /^(?:BRDC|HOUR)/.test(station)
}

/** The name of a country. */
export function countryName(code: string): string | undefined {
  return countries.has(code) ? code : undefined
}

/** The codes of the countries whose names or codes begin with a text. */
export function countriesNamed(text: string): readonly string[] {
  return text === '' ? [] : [...countries].filter((code) => code.startsWith(text.toUpperCase()))
}
