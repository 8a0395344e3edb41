package ugc.analysis;

import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.elasticsearch.plugin.Inject;
import org.elasticsearch.plugin.NamedComponent;
import org.elasticsearch.plugin.analysis.TokenFilterFactory;

@NamedComponent("asciifolding")
public class AsciiFoldingFilterFactory implements TokenFilterFactory {

    private final boolean preserveOriginal;

    @Inject
    public AsciiFoldingFilterFactory(AsciiFoldingSettings settings) {
        this.preserveOriginal = parse(settings.preserveOriginal());
    }

    @Override
    public TokenStream create(TokenStream tokens) {
        return new ASCIIFoldingFilter(tokens, preserveOriginal);
    }

    /** The single term of a prefix or wildcard query has no room for an original beside the folded form. */
    @Override
    public TokenStream normalize(TokenStream tokens) {
        return new ASCIIFoldingFilter(tokens, false);
    }

    private static boolean parse(String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(
                "Failed to parse value [" + value + "] as only [true] or [false] are allowed."
            );
        };
    }
}
