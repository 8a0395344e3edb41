type Form = { word: string; title: string };

/** @returns pairs of two forms of a word, each with a title of three to six words that contains it */
export function pairsOf(language: string): [Form, Form][] {
  const { ends, pairs } = FORMS[language] ?? { ends: '', pairs: '' };
  return pairs.split(/,\s+/).map((pair, n) => {
    const end = ends.split(', ').at(n % ends.split(', ').length);
    const [one, other] = pair.split(' ').map((word) => ({ word, title: `${capitalized(word)} ${end}` }));
    return [one, other] as [Form, Form];
  });
}

/** @returns pairs of words of a language that look alike and mean different things */
export function differentWords(): [Form, Form][] {
  return DIFFERENT.split(/\s+/).map((entry) => {
    const [language = '', words = ''] = entry.split(':');
    const end = FORMS[language]?.ends.split(', ')[0];
    const [one, other] = words.split('/').map((word) => ({ word, title: `${capitalized(word)} ${end}` }));
    return [one, other] as [Form, Form];
  });
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Two forms of each word, and how titles of the language end. */
export const FORMS: Record<string, { ends: string; pairs: string }> = {
  de: {
    ends: `aus Bienenwachs, im Advent, für den Garten, mit roter Farbe, am alten Hafen, und ein kleiner Fluss, von meiner Großmutter, selbst gemacht`,
    pairs: `stuhl stühle, kerze kerzen, baum bäume, haus häuser, buch bücher, blume blumen, katze katzen, hund hunde,
      stadt städte, kind kinder, bild bilder, lampe lampen, kuchen kuchens, wolke wolken, schiff schiffe,
      brücke brücken, licht lichter, maus mäuse, turm türme, rezept rezepte, wand wände, fenster fenstern,
      straße straßen, wald wälder, brief briefe, nacht nächte, fluss flüsse, schüssel schüsseln, kleid kleider,
      zeichnung zeichnungen, freundin freundinnen, rot rote, schön schönes, auto autos,
      museum museen, kaktus kakteen, studium studien`,
  },
  fr: {
    ends: `au bord de la mer, dans la forêt, pour les enfants, de ma grand-mère, avec du chocolat, sous la pluie, et le petit prince, fait à la main`,
    pairs: `oiseau oiseaux, cheval chevaux, bougie bougies, maison maisons, gâteau gâteaux, journal journaux,
      fleur fleurs, chaise chaises, bateau bateaux, tableau tableaux, château châteaux, animal animaux,
      chat chats, pomme pommes, lampe lampes, bijou bijoux, jeu jeux, nuage nuages, cadeau cadeaux, oeil yeux,
      travail travaux, recette recettes, canal canaux, couteau couteaux, genou genoux, livre livres,
      ville villes, arbre arbres, histoire histoires, peinture peintures, chanson chansons, hôtel hôtels,
      vitrail vitraux,
      ciel cieux`,
  },
  it: {
    ends: `della nonna, per il giardino, nel bosco, sulla spiaggia, e il mare blu, fatta a mano, di una volta`,
    pairs: `candela candele, libro libri, gatto gatti, casa case, fiore fiori, albero alberi, ragazzo ragazzi,
      amico amici, lago laghi, barca barche, uccello uccelli, sedia sedie, lampada lampade, torta torte,
      fotografia fotografie, montagna montagne, pesce pesci, chiave chiavi, stella stelle, bosco boschi,
      albergo alberghi, arancia arance, spiaggia spiagge, zio zii, uomo uomini, ricetta ricette,
      disegno disegni, notte notti, specchio specchi, canzone canzoni, tavolo tavoli, uovo uova, medico medici,
      ginocchio ginocchia, labbro labbra`,
  },
  es: {
    ends: `de la abuela, para el jardín, en el bosque, sobre la playa, y el mar azul, hecho a mano, de los niños`,
    pairs: `lápiz lápices, flor flores, luz luces, pez peces, canción canciones, árbol árboles, gato gatos,
      casa casas, vela velas, silla sillas, pastel pasteles, camión camiones, nuez nueces, libro libros,
      ratón ratones, avión aviones, mujer mujeres, reloj relojes, jardín jardines, voz voces, receta recetas,
      pared paredes, lección lecciones, feliz felices, raíz raíces, joven jóvenes, dibujo dibujos,
      noche noches, perro perros, país países, cruz cruces, juguete juguetes, rey reyes, botón botones,
      azul azules`,
  },
  pt: {
    ends: `da minha avó, para o jardim, com chocolate, na floresta, sobre a praia, e o mar azul, feito à mão, das crianças`,
    pairs: `canção canções, pão pães, animal animais, flor flores, luz luzes, mão mãos, coração corações,
      homem homens, viagem viagens, jardim jardins, papel papéis, anel anéis, avião aviões, gato gatos,
      vela velas, cadeira cadeiras, livro livros, nuvem nuvens, jornal jornais, lição lições, receita receitas,
      alemão alemães, cão cães, limão limões, irmão irmãos, fácil fáceis, barril barris, azul azuis,
      lençol lençóis, trem trens, colher colheres, raiz raízes, som sons, desenho desenhos, túnel túneis`,
  },
  pl: {
    ends: `z wosku pszczelego, dla dzieci, na plaży, w starym ogrodzie, od mojej babci, i małe jezioro, ręcznie robione, przy oknie`,
    pairs: `świeca świece, kot koty, książka książki, dom domy, kwiat kwiaty, pies psy, ptak ptaki, drzewo drzewa,
      krzesło krzesła, lampa lampy, ryba ryby, miasto miasta, statek statki, obraz obrazy, gwiazda gwiazdy,
      chmura chmury, jabłko jabłka, ciasto ciasta, góra góry, zdjęcie zdjęcia, okno okna, kubek kubki,
      przepis przepisy, ręka ręce, noc noce, dziecko dzieci, człowiek ludzie, dąb dęby, stół stoły, róża róże,
      piosenka piosenki, rysunek rysunki, koń konie, serce serca, lód lody, gołąb gołębie,
      palec palce, król królowie, muzeum muzea, zwierzę zwierzęta, ojciec ojcowie, książka książek`,
  },
  cs: {
    ends: `ve starém sadu, pro děti, na břehu řeky, z včelího vosku, od mojí babičky, a malé jezero, ručně vyrobené, u okna`,
    pairs: `hruška hrušky, kočka kočky, svíčka svíčky, kniha knihy, dům domy, strom stromy, květina květiny, pes psi,
      pták ptáci, židle židlí, lampa lampy, ryba ryby, město města, loď lodě, obraz obrazy, hvězda hvězdy,
      mrak mraky, jablko jablka, koláč koláče, hora hory, okno okna, stůl stoly, nůž nože, recept recepty,
      kámen kameny, růže růží, píseň písně, kuře kuřata, člověk lidé, vlak vlaky, noc noci, kůň koně,
      hrad hrady, vůz vozy, dort dorty, domek domky,
      loket lokty, zvíře zvířata, noha noze, den dny`,
  },
  fi: {
    ends: `mehiläisvahasta, lapsille, rannalla illalla, vanhassa puutarhassa, minun mummoltani, ja pieni lampi, käsin tehty, ikkunan vieressä`,
    pairs: `kynttilä kynttilät, kissa kissat, kirja kirjat, talo talot, kukka kukat, lintu linnut, koira koirat,
      puu puut, tuoli tuolit, lamppu lamput, kala kalat, kaupunki kaupungit, vene veneet, taulu taulut, tähti tähdet,
      pilvi pilvet, omena omenat, kakku kakut, vuori vuoret, järvi järvet, ikkuna ikkunat, silta sillat, hattu hatut,
      yö yöt, pöytä pöydät, kenkä kengät, laulu laulut, mäki mäet, hevonen hevoset, lapsi lapset, käsi kädet,
      sormus sormukset, kaunis kauniit, metsä metsät, lumi lumet, avain avaimet, taivas taivaat, hammas hampaat,
      salaisuus salaisuudet, joki joet, nainen naiset, osoite osoitteet`,
  },
  hu: {
    ends: `méhviaszból, gyerekeknek, a tengerparton, a régi kertben, a nagymamámtól, és egy kis tó, kézzel készült, az ablak mellett`,
    pairs: `ház házak, macska macskák, gyertya gyertyák, könyv könyvek, virág virágok, madár madarak, kutya kutyák,
      fa fák, szék székek, lámpa lámpák, hal halak, város városok, hajó hajók, kép képek, csillag csillagok,
      felhő felhők, alma almák, torta torták, hegy hegyek, híd hidak, recept receptek, ablak ablakok,
      dal dalok, tükör tükrök, ló lovak, tó tavak, asztal asztalok, gyerek gyerekek, éjszaka éjszakák,
      levél levelek, kő kövek, erdő erdők, rajz rajzok, kert kertek, tányér tányérok,
      titok titkok, majom majmok, ló lovat`,
  },
  tr: {
    ends: `ve küçük bir göl, çocuklar için, sahilde akşam, eski bahçede, büyükannemden, el yapımı güzel, pencerenin yanında, bal mumundan yapılmış`,
    pairs: `kitap kitaplar, kedi kediler, mum mumlar, ev evler, çiçek çiçekler, kuş kuşlar, köpek köpekler,
      ağaç ağaçlar, sandalye sandalyeler, lamba lambalar, balık balıklar, şehir şehirler, gemi gemiler,
      resim resimler, yıldız yıldızlar, bulut bulutlar, elma elmalar, pasta pastalar, dağ dağlar,
      köprü köprüler, tarif tarifler, pencere pencereler, şarkı şarkılar, masa masalar, kalem kalemler,
      deniz denizler, çocuk çocuklar, gece geceler, bardak bardaklar, göz gözler, kitap kitabı, orman ormanlar,
      at atlar, gül güller, yol yollar,
      kulak kulağı, burun burnu, resim resmi, araba arabası`,
  },
  da: {
    ends: `af bivoks, til børnene, på stranden om aftenen, i den gamle have, fra min bedstemor, og en lille sø, lavet i hånden, ved vinduet`,
    pairs: `hus huse, kat katte, lys lyset, bog bøger, blomst blomster, fugl fugle, hund hunde, træ træer,
      stol stole, lampe lamper, fisk fiskene, by byer, skib skibe, billede billeder, stjerne stjerner,
      sky skyer, æble æbler, kage kager, bjerg bjerge, bro broer, opskrift opskrifter, vindue vinduer,
      nat nætter, sang sange, bord borde, skov skove, tegning tegninger, fod fødder, hånd hænder, mand mænd,
      barn børn, hest heste, glas glassene, rose roser, hat hatte,
      museum museer, søster søstre, gaffel gafler, bror brødre, øje øjne`,
  },
  nl: {
    ends: `van bijenwas, voor de kinderen, op het strand, in de oude tuin, van mijn oma, en een klein meer, met de hand gemaakt, bij het raam`,
    pairs: `boek boeken, kat katten, kaars kaarsen, huis huizen, bloem bloemen, vogel vogels, hond honden,
      boom bomen, stoel stoelen, lamp lampen, vis vissen, stad steden, schip schepen, schilderij schilderijen,
      ster sterren, wolk wolken, appel appels, taart taarten, berg bergen, brug bruggen, recept recepten,
      raam ramen, nacht nachten, lied liederen, tafel tafels, bos bossen, tekening tekeningen, muis muizen,
      brief brieven, kind kinderen, weg wegen, glas glazen, roos rozen, paard paarden, foto foto's, ei eieren,
      dag dagen,
      museum musea, neef neven, oog ogen, waarheid waarheden, lam lammeren`,
  },
  ru: {
    ends: `из пчелиного воска, для детей, на берегу моря, в старом саду, от моей бабушки, и маленькое озеро, ручной работы, у окна`,
    pairs: `шапка шапки, кошка кошки, свеча свечи, книга книги, дом дома, цветок цветы, птица птицы, собака собаки,
      дерево деревья, стул стулья, лампа лампы, рыба рыбы, город города, корабль корабли, картина картины,
      звезда звёзды, облако облака, яблоко яблоки, пирог пироги, гора горы, рецепт рецепты, окно окна,
      песня песни, ночь ночи, стол столы, лес леса, рисунок рисунки, друг друзья, ребёнок дети, мышь мыши,
      конь кони, кресло кресла, роза розы, котёнок котята, ложка ложек, платок платки,
      палец пальцы, медвежонок медвежата, окно окон, пень пни, время времена, чай чаи`,
  },
  uk: {
    ends: `з бджолиного воску, для дітей, на березі моря, у старому саду, від моєї бабусі, і маленьке озеро, ручної роботи, біля вікна`,
    pairs: `свічка свічки, кішка кішки, шапка шапки, книга книги, дім доми, квітка квіти, птах птахи, собака собаки,
      дерево дерева, стілець стільці, лампа лампи, риба риби, місто міста, корабель кораблі, картина картини,
      зірка зірки, хмара хмари, яблуко яблука, пиріг пироги, гора гори, рецепт рецепти, вікно вікна,
      пісня пісні, ніч ночі, стіл столи, ліс ліси, малюнок малюнки, миша миші, кінь коні, троянда троянди,
      ложка ложки, ніж ножі, село села, рік роки, камінь камені, вечір вечори,
      музей музеї, рука руці, вікно вікон, осінь осені, пень пні`,
  },
  he: {
    ends: `לילדים קטנים, על חוף הים, בגינה הישנה, של סבתא שלי, וגם אגם קטן, עבודת יד, ליד החלון, משעוות דבורים`,
    pairs: `ספר ספרים, חתול חתולים, נר נרות, בית בתים, פרח פרחים, ציפור ציפורים, כלב כלבים, עץ עצים, כיסא כיסאות,
      מנורה מנורות, דג דגים, עיר ערים, ספינה ספינות, תמונה תמונות, כוכב כוכבים, ענן עננים, תפוח תפוחים,
      עוגה עוגות, הר הרים, גשר גשרים, מתכון מתכונים, חלון חלונות, שיר שירים, לילה לילות, שולחן שולחנות,
      יער יערות, ציור ציורים, עכבר עכברים, סוס סוסים, כפית כפיות, סכין סכינים, כפר כפרים, ילד ילדים,
      ילדה ילדות, שמלה שמלות, בקבוק בקבוקים, אבן אבנים,
      רכבת רכבות, ביצה ביצים, עוגייה עוגיות`,
  },
  sv: {
    ends: `av bivax, för barnen, på stranden om kvällen, i den gamla trädgården, från min mormor, och en liten sjö, gjord för hand, vid fönstret`,
    pairs: `bok böcker, katt katter, ljus ljuset, hus husen, blomma blommor, fågel fåglar, hund hundar, träd träden,
      stol stolar, lampa lampor, fisk fiskar, stad städer, skepp skeppen, tavla tavlor, stjärna stjärnor,
      moln molnen, äpple äpplen, kaka kakor, berg bergen, bro broar, recept recepten, fönster fönstren,
      natt nätter, sång sånger, bord borden, skog skogar, teckning teckningar, fot fötter, hand händer,
      häst hästar, ros rosor, sommar somrar, nyckel nycklar, hatt hattar,
      museum museer, gaffel gafflar, öga ögon, bror bröder, enkel enkla`,
  },
  no: {
    ends: `av bivoks, for barna, på stranden om kvelden, i den gamle hagen, fra bestemoren min, og et lite vann, laget for hånd, ved vinduet`,
    pairs: `hus husene, katt katter, lys lysene, bok bøker, blomst blomster, fugl fugler, hund hunder, tre trær,
      stol stoler, lampe lamper, fisk fisker, by byer, skip skipene, bilde bilder, stjerne stjerner, sky skyer,
      eple epler, kake kaker, fjell fjellene, bro broer, oppskrift oppskrifter, vindu vinduer, natt netter,
      sang sanger, bord bordene, skog skoger, tegning tegninger, fot føtter, hånd hender, hest hester, øy øyer,
      rose roser, hatt hatter, finger fingre, nøkkel nøkler,
      museum museer, tann tenner, nøtt nøtter, gaffel gafler, øye øyne`,
  },
  ro: {
    ends: `din ceară de albine, pentru copii, pe malul mării, în grădina veche, de la bunica mea, și un lac mic, lucrat de mână, lângă fereastră`,
    pairs: `carte cărți, pisică pisici, lumânare lumânări, casă case, floare flori, pasăre păsări, câine câini,
      copac copaci, scaun scaune, lampă lămpi, pește pești, oraș orașe, corabie corăbii, tablou tablouri,
      stea stele, nor nori, măr mere, tort torturi, munte munți, pod poduri, rețetă rețete, fereastră ferestre,
      noapte nopți, cântec cântece, masă mese, pădure păduri, desen desene, mână mâini, copil copii, cal cai,
      trandafir trandafiri, pălărie pălării, vară veri, cuțit cuțite, oraș orașul,
      oglindă oglinzi, roată roți, muzeu muzee, soră surori, leu lei, creion creioane`,
  },
  hr: {
    ends: `od pčelinjeg voska, za djecu, na morskoj obali, u starom vrtu, od moje bake, i malo jezero, ručni rad, pokraj prozora`,
    pairs: `knjiga knjige, mačka mačke, svijeća svijeće, kuća kuće, cvijet cvijeće, ptica ptice, pas psi, drvo drva,
      stolica stolice, lampa lampe, riba ribe, grad gradovi, brod brodovi, slika slike, zvijezda zvijezde,
      oblak oblaci, jabuka jabuke, torta torte, planina planine, most mostovi, recept recepti, prozor prozori,
      noć noći, pjesma pjesme, stol stolovi, šuma šume, crtež crteži, ruka ruke, dijete djeca, konj konji,
      ruža ruže, šešir šeširi, žlica žlice, nož noževi, vlak vlakovi, vuk vukovi, momak momci,
      sestra sestara, ime imena, misao misli`,
  },
  el: {
    ends: `από κερί μέλισσας, για τα παιδιά, στην παραλία, στον παλιό κήπο, από τη γιαγιά μου, και μια μικρή λίμνη, φτιαγμένο στο χέρι, δίπλα στο παράθυρο`,
    pairs: `βιβλίο βιβλία, γάτα γάτες, κερί κεριά, σπίτι σπίτια, λουλούδι λουλούδια, πουλί πουλιά, σκύλος σκύλοι,
      δέντρο δέντρα, καρέκλα καρέκλες, λάμπα λάμπες, ψάρι ψάρια, πόλη πόλεις, πλοίο πλοία, πίνακας πίνακες,
      αστέρι αστέρια, σύννεφο σύννεφα, μήλο μήλα, τούρτα τούρτες, βουνό βουνά, γέφυρα γέφυρες,
      συνταγή συνταγές, παράθυρο παράθυρα, νύχτα νύχτες, τραγούδι τραγούδια, τραπέζι τραπέζια, δάσος δάση,
      ζωγραφιά ζωγραφιές, χέρι χέρια, παιδί παιδιά, άλογο άλογα, τριαντάφυλλο τριαντάφυλλα, καπέλο καπέλα,
      ποτήρι ποτήρια, δρόμος δρόμοι, θάλασσα θάλασσες, χρώμα χρώματα,
      βασιλιάς βασιλιάδες, ώρα ώρες, λάθος λάθη, καφές καφέδες`,
  },
  ar: {
    ends: `من الخشب القديم, تحت المطر, مع الموسيقى, للمبتدئين فقط, في الشتاء`,
    pairs: `سيارة سيارات, معلم معلمون, مهندس مهندسين, ساعة ساعات, لوحة لوحات, مكتبة مكتبات, نجمة نجمات, شجرة الشجرات,
      مطار مطارات`,
  },
  bg: {
    ends: `от пчелен восък, за децата, на брега на морето, в старата градина`,
    pairs: `книга книги, котка котки, град градове, прозорец прозорци, маса маси, дърво дървета, цвете цветя,
      песен песни, човек хора, лампа лампи, къща къщи, стол столове, куче кучета, море морета, ябълка ябълки,
      вълк вълци, цвят цветове, ръка ръце`,
  },
  ca: {
    ends: `de la meva àvia, per als nens, amb xocolata, a la platja`,
    pairs: `casa cases, gat gats, llibre llibres, camí camins, boca boques, peix peixos, flor flors, taula taules,
      nen nens, amiga amigues, llum llums, arbre arbres, plaça places,
      taronja taronges, boig bojos`,
  },
  sk: {
    ends: `zo včelieho vosku, pre deti, na brehu rieky, v starej záhrade`,
    pairs: `kniha knihy, mačka mačky, dom domy, okno okná, strom stromy, hrad hrady, ruža ruže, pes psy, vták vtáky,
      stôl stoly,
      vajce vajcia, okno okien`,
  },
};

const DIFFERENT = `de:stall/stelle de:stadt/staat de:wald/welt de:ofen/affe de:katze/kater it:porta/porto it:casa/caso
  it:pala/palo it:colpa/colpo it:foglia/foglio es:casa/caso es:puerta/puerto es:plata/plato es:gorra/gorro
  es:hora/oro es:cara/caro fr:poisson/poison fr:dessert/désert pt:porta/porto pt:caso/casa nl:maan/man
  nl:boom/bom nl:raam/ram da:hus/huske da:bog/bo fi:kuusi/kuu fi:tuli/tuuli hu:ház/haza tr:kar/karar
  tr:el/elma ru:мир/мера ru:рука/река ru:дом/дума uk:рука/ріка cs:hrad/had sv:bok/bokstav ro:casa/caz
  it:tavola/tavolo it:banca/banco it:pizza/pizzo it:moda/modo it:palla/pallo es:libra/libro es:punta/punto
  es:copa/copo es:manga/mango es:barca/barco es:marca/marco es:rama/ramo pt:bola/bolo pt:bica/bico
  pt:banca/banco pt:pata/pato fr:chat/château fr:main/maison fr:pois/poix de:wand/wandel de:brot/brut
  de:hase/haar de:mutter/mut de:leber/leben de:fass/fassade de:beere/bär de:affe/auge de:messer/messe
  de:hand/handel nl:bos/boos nl:mot/moot nl:vel/veel nl:zon/zoon nl:man/maan nl:wol/wolk sv:bil/bild
  da:skov/sko da:kat/kar fi:tuuli/tuoli fi:kukka/kukko fi:lintu/lento fi:kala/kalu hu:hal/hall
  hu:alma/alom hu:hat/hét tr:kale/kalem tr:kara/kar tr:ay/ayna tr:bal/balık ru:кошка/каша ru:лук/лак
  ru:кот/кит ru:стол/стул ru:замок/закон ru:рог/рука uk:кіт/кит uk:сад/садити cs:les/list cs:kos/kost
  pl:kos/kosz pl:rok/rak pl:sok/sak pl:las/lasso ro:cap/capra ro:pat/pata he:ספר/סיפור he:דג/דגל he:כלב/לב`;
